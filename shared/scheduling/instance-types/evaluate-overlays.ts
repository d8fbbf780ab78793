import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { CAPACITY_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType, Offering } from '../../model/offerings/instance-type.ts';
import { applyPriceChange, type NodeOverlay, type PriceChange } from '../../model/offerings/node-overlay.ts';
import { ownValue } from '../../model/own-value.ts';
import { allowsValue, isIn } from '../../model/requirements/requirement.ts';
import {
  findConflict,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '../../model/requirements/requirements.ts';
import type { Resources } from '../../model/resources.ts';

/** The result of applying the NodeOverlays of a cluster. */
export interface OverlayEvaluation {
  /** The instance types of each NodePool that an overlay changes. */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  /** The prices of the changed types, in addition to the published prices. */
  readonly offerings: readonly Offering[];
  /**
   * By name of an overlay that is not applied: the overlay of equal weight that it conflicts with.
   */
  readonly conflicts: ReadonlyMap<string, string>;
}

type OverlayInput = Pick<ClusterSnapshot, 'pools' | 'instanceTypes' | 'offerings'>;

/**
 * Applies overlays in order of weight, and in reverse order of name for equal weights. If two
 * overlays of one weight change the same price or resource, the second is not applied anywhere.
 */
export function evaluateOverlays(overlays: readonly NodeOverlay[], input: OverlayInput): OverlayEvaluation {
  const ordered = overlays
    .filter(({ fault }) => fault === undefined)
    .toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? 1 : -1))
    .map((overlay): PreparedOverlay => ({ overlay, ...splitRequirements(overlay) }));
  const offeringsByType = Map.groupBy(input.offerings, ({ instanceType }) => instanceType);
  const views = input.pools.map((pool) => createPoolView(pool, ordered, input, offeringsByType));

  const conflicts = new Map<string, string>();
  for (const { effects } of views) for (const effect of effects) addConflicts(effect, conflicts);
  return { ...applyEffects(views, conflicts), conflicts };
}

interface PreparedOverlay {
  readonly overlay: NodeOverlay;
  readonly ofType: Requirements;
  readonly ofOffering: Requirements;
}

const PER_OFFERING: ReadonlySet<string> = new Set([ZONE_LABEL, CAPACITY_TYPE_LABEL]);

function splitRequirements({ requirements }: NodeOverlay): Omit<PreparedOverlay, 'overlay'> {
  const all = [...toRequirements(requirements)];
  return {
    ofType: new Map(all.filter(([key]) => !PER_OFFERING.has(key))),
    ofOffering: new Map(all.filter(([key]) => PER_OFFERING.has(key))),
  };
}

/** The overlays that change one price or one resource of one type, in order of precedence. */
type OverlayEffect = readonly NodeOverlay[];

interface TypeView {
  readonly type: InstanceType;
  readonly all: readonly Offering[];
  readonly prices: ReadonlyMap<Offering, OverlayEffect>;
  readonly capacity: ReadonlyMap<string, OverlayEffect>;
}

interface PoolView {
  readonly pool: NodePool;
  readonly list: readonly InstanceType[];
  readonly viewsByType: ReadonlyMap<InstanceType, TypeView>;
  readonly effects: readonly OverlayEffect[];
}

function createPoolView(
  pool: NodePool,
  ordered: readonly PreparedOverlay[],
  { instanceTypes }: OverlayInput,
  offeringsByType: ReadonlyMap<string, readonly Offering[]>,
): PoolView {
  const list = ownValue(instanceTypes, pool.name) ?? [];
  const poolLabels = toLabelRequirements({ ...pool.labels, [NODEPOOL_LABEL]: pool.name });
  const views = list.flatMap((type): TypeView[] => {
    const labels = new Map([...poolLabels, ...labelsOf(type)]);
    const matching = ordered.filter(({ ofType }) => !findConflict(labels, ofType));
    return matching.length > 0 ? [createTypeView(type, matching, offeringsByType.get(type.name) ?? [])] : [];
  });
  return {
    pool,
    list,
    viewsByType: new Map(views.map((view) => [view.type, view])),
    effects: views.flatMap(({ prices, capacity }) => [...prices.values(), ...capacity.values()]),
  };
}

const labelsOf = ({ labels, choices = {} }: InstanceType): Requirements =>
  new Map([
    ...toLabelRequirements(labels),
    ...Object.entries(choices).map(([key, values]) => [key, isIn(...values)] as const),
  ]);

function createTypeView(
  type: InstanceType,
  matching: readonly PreparedOverlay[],
  offerings: readonly Offering[],
): TypeView {
  const prices = new Map<Offering, NodeOverlay[]>();
  const capacity = new Map<string, NodeOverlay[]>();
  for (const { overlay, ofOffering } of matching) {
    const matchingOfferings = offerings.filter((offering) => matchesOffering(offering, ofOffering));
    if (matchingOfferings.length === 0) continue;
    for (const offering of overlay.price ? matchingOfferings : []) addEffect(prices, offering, overlay);
    for (const resource of Object.keys(overlay.capacity)) addEffect(capacity, resource, overlay);
  }
  return { type, all: offerings, prices, capacity };
}

const matchesOffering = ({ zone, capacityType }: Offering, requirements: Requirements): boolean => {
  const [ofZone, ofCapacity] = [requirements.get(ZONE_LABEL), requirements.get(CAPACITY_TYPE_LABEL)];
  return (!ofZone || allowsValue(ofZone, zone)) && (!ofCapacity || allowsValue(ofCapacity, capacityType));
};

function addEffect<K>(all: Map<K, NodeOverlay[]>, key: K, overlay: NodeOverlay): void {
  getOrCreate(all, key, () => []).push(overlay);
}

function addConflicts(effect: OverlayEffect, conflicts: Map<string, string>): void {
  effect.forEach((overlay, position) => {
    const previous = effect[position - 1];
    if (previous && previous.weight === overlay.weight) conflicts.set(overlay.name, previous.name);
  });
}

function applyEffects(
  views: readonly PoolView[],
  conflicts: ReadonlyMap<string, string>,
): Pick<OverlayEvaluation, 'instanceTypes' | 'offerings'> {
  const instanceTypes: Record<string, readonly InstanceType[]> = {};
  const offerings: Offering[] = [];
  const changedListsByList = new Map<readonly InstanceType[], Map<string, readonly InstanceType[]>>();
  for (const { pool, list, viewsByType } of views) {
    const changes = [...viewsByType.values()].flatMap((view) => computeChange(view, conflicts) ?? []);
    if (changes.length === 0) continue;
    // NodePools with the same list and the same changes share the resulting list, so that it is
    // indexed once.
    const changedLists = getOrCreate(changedListsByList, list, () => new Map());
    const key = JSON.stringify(changes.map(({ type, usd, capacityOverrides }) => [type.name, usd, capacityOverrides]));
    const existing = changedLists.get(key);
    instanceTypes[pool.name] = existing ?? createChangedList(list, changes, pool.name);
    changedLists.set(key, ownValue(instanceTypes, pool.name) ?? list);
    if (!existing) offerings.push(...changes.flatMap((change) => createPricedOfferings(pool.name, change)));
  }
  return { instanceTypes, offerings };
}

const createPricedOfferings = (market: string, { usd = [] }: TypeChange): Offering[] =>
  usd.map(([offering, hourlyUsd]) => ({ ...offering, hourlyUsd, overlay: market }));

function createChangedList(
  list: readonly InstanceType[],
  changes: readonly TypeChange[],
  market: string,
): readonly InstanceType[] {
  const byType = new Map(changes.map((change) => [change.type, change]));
  return list.map((type) => createChangedType(type, byType.get(type), market));
}

interface TypeChange {
  readonly type: InstanceType;
  /** Prices of all offerings of the type; undefined if they are the published prices. */
  readonly usd?: readonly (readonly [Offering, number])[];
  readonly capacityOverrides?: Resources;
}

function computeChange(
  { type, all, prices, capacity }: TypeView,
  conflicts: ReadonlyMap<string, string>,
): TypeChange | undefined {
  const findWinner = (effect: OverlayEffect) => effect.find(({ name }) => !conflicts.has(name));
  const changed = new Map<Offering, PriceChange>();
  for (const [offering, effect] of prices) {
    const price = findWinner(effect)?.price;
    if (price) changed.set(offering, price);
  }
  const capacityOverrides = Object.fromEntries(
    [...capacity].flatMap(([resource, effect]) => {
      const amount = ownValue(findWinner(effect)?.capacity, resource);
      return amount === undefined ? [] : [[resource, amount]];
    }),
  );
  const isLarger = Object.keys(capacityOverrides).length > 0;
  if (changed.size === 0 && !isLarger) return undefined;
  return {
    type,
    ...(changed.size > 0 && { usd: computePrices(all, changed) }),
    ...(isLarger && { capacityOverrides }),
  };
}

const computePrices = (
  all: readonly Offering[],
  changed: ReadonlyMap<Offering, PriceChange>,
): (readonly [Offering, number])[] =>
  all.map((offering) => {
    const change = changed.get(offering);
    const { hourlyUsd } = offering;
    return [offering, change ? applyPriceChange(hourlyUsd, change) : hourlyUsd];
  });

function createChangedType(type: InstanceType, change: TypeChange | undefined, market: string): InstanceType {
  if (!change) return type;
  const { usd, capacityOverrides } = change;
  return {
    ...type,
    capacity: { ...type.capacity, ...capacityOverrides },
    allocatable: { ...type.allocatable, ...capacityOverrides },
    overlay: {
      ...(usd && { market }),
      ...(capacityOverrides && { capacity: capacityOverrides }),
    },
  };
}
