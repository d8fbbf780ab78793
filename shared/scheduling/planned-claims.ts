import type { Offering } from '../model/instance-type.ts';
import {
  CAPACITY_OVERLAY_ANNOTATION,
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type Labels,
  MIN_VALUES_RELAXED_ANNOTATION,
  NODECLASS_LABEL,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_LABEL,
  PRICE_OVERLAY_ANNOTATION,
  REGISTERED_LABEL,
  REQUESTED_DRIVERS_ANNOTATION,
  RESERVATION_ID_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../model/labels.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { PlannedClaim } from '../model/plans.ts';
import type { PodKey } from '../model/pod.ts';
import { allowsValue, type Requirement } from '../model/requirement.ts';
import { type RequirementSpec, toRequirementSpecs } from '../model/requirement-specs.ts';
import { minResources, type Resources } from '../model/resources.ts';
import type { Draft } from './packing/drafts.ts';
import { withoutAttachments } from './pods/attach-limits.ts';
import type { Problem } from './problem.ts';
import { oncePrepared } from './remembered.ts';
import { bitsOf, intersection, overlaps } from './types/bitset.ts';
import type { Where } from './types/offering-index.ts';
import { CAPACITY_TYPES } from './types/price-table.ts';
import { typesByPrice } from './types/spot-choice.ts';
import { listedTypes } from './types/truncation.ts';
import { addTimes, toResources } from './vectors.ts';

/** Turns a draft into a claim that is ready to be stored. */
export function plannedClaim(
  draft: Draft,
  pods: readonly PodKey[],
  problem: Problem,
  decision: string,
  name: string,
): PlannedClaim | undefined {
  const market = marketFor(draft, problem);
  const { cheapest, nextBest } = market;
  if (!cheapest) return undefined;
  const claim = claimOf(draft, market, problem, decision, name);
  return { claim, pods, cheapest, ...(nextBest ? { nextBest } : {}) };
}

/** What the types and places that are left to a draft come to. */
interface DraftMarket {
  /** Names of the types that its claim lists, cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly cheapest: Offering | undefined;
  /** The cheapest of another type. */
  readonly nextBest: Offering | undefined;
  readonly where: { readonly zones: readonly string[]; readonly capacityTypes: readonly string[] };
  readonly overlaid: Labels;
}

const knownMarkets = oncePrepared(() => new Map<string, DraftMarket>());

/** Drafts of one plan are many, what may be launched for them differs little. */
function marketFor(draft: Draft, problem: Problem): DraftMarket {
  const markets = knownMarkets(problem);
  const { types, where, minValues, template } = draft;
  // Which types a claim lists depends on what its pool asks of them, if it asks for anything.
  const asking = minValues.length > 0 ? [template.pool.name, JSON.stringify(minValues)] : [];
  const key = [where.zones, where.capacityTypes, types.join(), ...asking].join(' ');
  const market = markets.get(key) ?? workOutMarket(draft, problem);
  markets.set(key, market);
  return market;
}

function workOutMarket(draft: Draft, problem: Problem): DraftMarket {
  const { index, offerings } = problem;
  const ranked = typesByPrice(draft, problem);
  const nameOf = (type: number): string => index.types[type]?.name ?? '';
  const [best] = ranked;
  const second = ranked.find((type) => nameOf(type) !== nameOf(best ?? -1));
  return {
    instanceTypes: listedTypes(draft, ranked, problem).map(nameOf),
    cheapest: best === undefined ? undefined : offerings.cheapest(best, draft.where),
    nextBest: second === undefined ? undefined : offerings.cheapest(second, draft.where),
    where: whereNames(draft, problem),
    overlaid: overlayAnnotations(draft, problem),
  };
}

function claimOf(
  draft: Draft,
  market: DraftMarket,
  problem: Problem,
  decision: string,
  name: string,
): NodeClaim {
  const { pool } = draft.template;
  const { instanceTypes, overlaid } = market;
  return {
    name,
    uid: name,
    pool: pool.name,
    poolUid: pool.uid,
    poolHash: pool.hash,
    nodeClass: pool.nodeClass,
    createdAt: problem.snapshot.takenAt,
    labels: {
      ...customLabels(draft),
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [NODECLASS_LABEL]: pool.nodeClass.name,
    },
    annotations: {
      ...pool.annotations,
      [NODEPOOL_HASH_ANNOTATION]: pool.hash,
      ...relaxedAnnotation(draft),
      ...overlaid,
      ...requestedDrivers(draft),
    },
    taints: pool.taints,
    startupTaints: pool.startupTaints,
    requirements: requirementsOf(draft, market, problem),
    instanceTypes,
    requests: withoutAttachments(requestsOf(draft, problem)),
    ...(pool.expireAfterMs === undefined ? {} : { expireAfterMs: pool.expireAfterMs }),
    ...(pool.terminationGracePeriodMs === undefined
      ? {}
      : { terminationGracePeriodMs: pool.terminationGracePeriodMs }),
    decision,
  };
}

const requestedDrivers = ({ drivers }: Draft): Labels =>
  drivers.size > 0 ? { [REQUESTED_DRIVERS_ANNOTATION]: [...drivers].toSorted().join(',') } : {};

/** Whether best effort was needed; nothing where the pool asks for no minValues. */
function relaxedAnnotation({ minValues, template }: Draft): Labels {
  if (template.minValues.length === 0) return {};
  const isRelaxed = minValues.some(
    ({ key, count }) => count < (template.requirements.get(key)?.minValues ?? 0),
  );
  return { [MIN_VALUES_RELAXED_ANNOTATION]: `${isRelaxed}` };
}

/** Pods and the least that DaemonSets take on any type that is left. */
function requestsOf(draft: Draft, { columns }: Problem): Resources {
  const overheads = draft.template.daemons
    .filter(({ types }) => overlaps(types, draft.types))
    .map(({ overhead }) => toResources(columns, overhead));
  const least = overheads.length > 0 ? overheads.reduce(minResources) : {};
  const total = draft.used.slice();
  addTimes(total, vectorOf(least, columns.names), 1);
  return toResources(columns, total);
}

const vectorOf = (resources: Resources, names: readonly string[]): Float64Array =>
  Float64Array.from(names, (name) => resources[name] ?? 0);

/** The launch goes by our order of prices, not by EC2's, where overlays have changed them. */
function overlayAnnotations({ types }: Draft, { index }: Problem): Labels {
  const overlays = bitsOf(types).flatMap((type) => index.types[type]?.overlay ?? []);
  return {
    ...(overlays.some(({ market }) => market !== undefined) && {
      [PRICE_OVERLAY_ANNOTATION]: 'true',
    }),
    ...(overlays.some(({ capacity }) => capacity) && { [CAPACITY_OVERLAY_ANNOTATION]: 'true' }),
  };
}

/** Reserved capacity is asked for by name: the plan counts on this reservation, and no other. */
function reservationOf({ types }: Draft, { reservations }: Problem): RequirementSpec[] {
  if (!reservations || !overlaps(types, reservations.types)) return [];
  const ids = bitsOf(intersection(types, reservations.types)).map(reservations.idOf);
  return [{ key: RESERVATION_ID_LABEL, operator: 'In', values: [...new Set(ids)] }];
}

/** Only known while planning: no claim is written with them. */
const INTERNAL: ReadonlySet<string> = new Set([REGISTERED_LABEL, INITIALIZED_LABEL]);

function requirementsOf(
  draft: Draft,
  { instanceTypes, where }: DraftMarket,
  problem: Problem,
): RequirementSpec[] {
  const { custom, template } = draft;
  const { index } = problem;
  const least = new Map(draft.minValues.map(({ key, count }) => [key, count]));
  const oneOf = (key: string, values: readonly string[]): RequirementSpec => {
    const minValues = least.get(key);
    // No requirement may ask for more values than it lists.
    const kept = minValues === undefined ? {} : { minValues: Math.min(minValues, values.length) };
    return { key, operator: 'In', values, ...kept };
  };
  const reservation = reservationOf(draft, problem);
  const said = new Set([INSTANCE_TYPE_LABEL, ...reservation.map(({ key }) => key)]);
  const ofTypes = [...template.requirements].filter(
    ([key]) => index.decides(key) && !custom.has(key) && !said.has(key),
  );
  return [
    ...[...ofTypes, ...custom]
      .filter(([key]) => !INTERNAL.has(key))
      .flatMap(([key, requirement]) =>
        toRequirementSpecs(key, heldTo(least.get(key), requirement)),
      ),
    oneOf(ZONE_LABEL, where.zones),
    oneOf(CAPACITY_TYPE_LABEL, where.capacityTypes),
    ...reservation,
    oneOf(INSTANCE_TYPE_LABEL, instanceTypes),
  ];
}

const heldTo = (minValues: number | undefined, requirement: Requirement): Requirement =>
  minValues === undefined ? requirement : { ...requirement, minValues };

/** The zones and capacity types where some type of the draft can be had now. */
function whereNames({ types, where }: Draft, { offerings }: Problem) {
  const isOffered = (part: Partial<Where>) =>
    offerings.count(types, { ...where, ...part }, true) > 0;
  return {
    zones: offerings.zones.filter((_, bit) => isOffered({ zones: where.zones & (2 ** bit) })),
    capacityTypes: CAPACITY_TYPES.filter((_, bit) =>
      isOffered({ capacityTypes: where.capacityTypes & (2 ** bit) }),
    ),
  };
}

/** A value for each key of the user's own, so that the node will really carry what pods selected. */
export function customLabels({ custom, template }: Draft): Labels {
  const labels: Record<string, string> = {};
  for (const [key, requirement] of custom) {
    // Of a key that the pool does not have, pods only ever ask that it be absent or not this value.
    if (!template.custom.has(key)) continue;
    if (WELL_KNOWN_LABELS.has(key) || INTERNAL.has(key)) continue;
    const value = someValue(requirement);
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}

function someValue(requirement: Requirement): string | undefined {
  const { complement, values, gte, lte } = requirement;
  if (!complement) return [...values].toSorted()[0];
  const start = gte ?? Math.min(0, lte ?? 0);
  for (let candidate = start; candidate <= (lte ?? start + values.size); candidate++) {
    if (allowsValue(requirement, `${candidate}`)) return `${candidate}`;
  }
  return undefined;
}
