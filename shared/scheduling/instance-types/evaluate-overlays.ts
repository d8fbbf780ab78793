import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { CAPACITY_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { changedPrice, type NodeOverlay, type PriceChange } from '../../model/node-overlay.ts';
import type { NodePool } from '../../model/node-pool.ts';
import { allowsValue, isIn } from '../../model/requirement.ts';
import {
  findConflict,
  type Requirements,
  requirementsOfLabels,
  toRequirements,
} from '../../model/requirements.ts';
import type { Resources } from '../../model/resources.ts';

/** What the overlays of a cluster come to. */
export interface OverlayEvaluation {
  /** Of each pool that sees anything in another way: its types. */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  /** Prices of those types, beside the published ones. */
  readonly offerings: readonly Offering[];
  /** By name of an overlay that is not applied: the one of equal weight that it clashes with. */
  readonly conflicts: ReadonlyMap<string, string>;
}

type Seen = Pick<ClusterSnapshot, 'pools' | 'instanceTypes' | 'offerings'>;

/**
 * Applies overlays, the heaviest first and among equals the later name. Two of one weight that touch
 * the same price or the same resource cannot both be meant: the second is applied nowhere.
 */
export function evaluateOverlays(overlays: readonly NodeOverlay[], seen: Seen): OverlayEvaluation {
  const ordered = overlays
    .filter(({ fault }) => fault === undefined)
    .toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? 1 : -1))
    .map((overlay): Prepared => ({ overlay, ...splitRequirements(overlay) }));
  const offeringsOf = Map.groupBy(seen.offerings, ({ instanceType }) => instanceType);
  const views = seen.pools.map((pool) => poolView(pool, ordered, seen, offeringsOf));

  const conflicts = new Map<string, string>();
  for (const { touches } of views) for (const touch of touches) noteConflicts(touch, conflicts);
  return { ...applied(views, conflicts), conflicts };
}

interface Prepared {
  readonly overlay: NodeOverlay;
  readonly ofType: Requirements;
  readonly ofOffering: Requirements;
}

const PER_OFFERING: ReadonlySet<string> = new Set([ZONE_LABEL, CAPACITY_TYPE_LABEL]);

function splitRequirements({ requirements }: NodeOverlay): Omit<Prepared, 'overlay'> {
  const all = [...toRequirements(requirements)];
  return {
    ofType: new Map(all.filter(([key]) => !PER_OFFERING.has(key))),
    ofOffering: new Map(all.filter(([key]) => PER_OFFERING.has(key))),
  };
}

/** Overlays that say something of one price or one resource of one type, in order. */
type Touch = readonly NodeOverlay[];

interface TypeView {
  readonly type: InstanceType;
  readonly all: readonly Offering[];
  readonly prices: ReadonlyMap<Offering, Touch>;
  readonly capacity: ReadonlyMap<string, Touch>;
}

interface PoolView {
  readonly pool: NodePool;
  readonly list: readonly InstanceType[];
  readonly touched: ReadonlyMap<InstanceType, TypeView>;
  readonly touches: readonly Touch[];
}

function poolView(
  pool: NodePool,
  ordered: readonly Prepared[],
  { instanceTypes }: Seen,
  offeringsOf: ReadonlyMap<string, readonly Offering[]>,
): PoolView {
  const list = instanceTypes[pool.name] ?? [];
  const own = requirementsOfLabels({ ...pool.labels, [NODEPOOL_LABEL]: pool.name });
  const views = list.flatMap((type): TypeView[] => {
    const labels = new Map([...own, ...labelsOf(type)]);
    const here = ordered.filter(({ ofType }) => !findConflict(labels, ofType));
    return here.length > 0 ? [typeView(type, here, offeringsOf.get(type.name) ?? [])] : [];
  });
  return {
    pool,
    list,
    touched: new Map(views.map((view) => [view.type, view])),
    touches: views.flatMap(({ prices, capacity }) => [...prices.values(), ...capacity.values()]),
  };
}

const labelsOf = ({ labels, choices = {} }: InstanceType): Requirements =>
  new Map([
    ...requirementsOfLabels(labels),
    ...Object.entries(choices).map(([key, values]) => [key, isIn(...values)] as const),
  ]);

function typeView(
  type: InstanceType,
  here: readonly Prepared[],
  offerings: readonly Offering[],
): TypeView {
  const prices = new Map<Offering, NodeOverlay[]>();
  const capacity = new Map<string, NodeOverlay[]>();
  for (const { overlay, ofOffering } of here) {
    const meant = offerings.filter((offering) => isMeant(offering, ofOffering));
    if (meant.length === 0) continue;
    for (const offering of overlay.price ? meant : []) note(prices, offering, overlay);
    for (const resource of Object.keys(overlay.capacity)) note(capacity, resource, overlay);
  }
  return { type, all: offerings, prices, capacity };
}

const isMeant = ({ zone, capacityType }: Offering, wanted: Requirements): boolean => {
  const [ofZone, ofCapacity] = [wanted.get(ZONE_LABEL), wanted.get(CAPACITY_TYPE_LABEL)];
  return (
    (!ofZone || allowsValue(ofZone, zone)) && (!ofCapacity || allowsValue(ofCapacity, capacityType))
  );
};

function note<K>(all: Map<K, NodeOverlay[]>, key: K, overlay: NodeOverlay): void {
  const known = all.get(key);
  if (known) known.push(overlay);
  else all.set(key, [overlay]);
}

function noteConflicts(touch: Touch, conflicts: Map<string, string>): void {
  touch.forEach((overlay, position) => {
    const before = touch[position - 1];
    if (before && before.weight === overlay.weight) conflicts.set(overlay.name, before.name);
  });
}

function applied(
  views: readonly PoolView[],
  conflicts: ReadonlyMap<string, string>,
): Pick<OverlayEvaluation, 'instanceTypes' | 'offerings'> {
  const instanceTypes: Record<string, readonly InstanceType[]> = {};
  const offerings: Offering[] = [];
  const made = new Map<readonly InstanceType[], Map<string, readonly InstanceType[]>>();
  for (const { pool, list, touched } of views) {
    const changes = [...touched.values()].flatMap((view) => changeOf(view, conflicts) ?? []);
    if (changes.length === 0) continue;
    // Pools that see the same of one list share what becomes of it, so that it is indexed once.
    const ofList = made.get(list) ?? new Map<string, readonly InstanceType[]>();
    made.set(list, ofList);
    const key = JSON.stringify(changes.map(({ type, usd, more }) => [type.name, usd, more]));
    const known = ofList.get(key);
    instanceTypes[pool.name] = known ?? changedList(list, changes, pool.name);
    ofList.set(key, instanceTypes[pool.name] ?? list);
    if (!known) offerings.push(...changes.flatMap((change) => pricedIn(pool.name, change)));
  }
  return { instanceTypes, offerings };
}

const pricedIn = (market: string, { usd = [] }: Change): Offering[] =>
  usd.map(([offering, hourlyUsd]) => ({ ...offering, hourlyUsd, overlay: market }));

function changedList(
  list: readonly InstanceType[],
  changes: readonly Change[],
  market: string,
): readonly InstanceType[] {
  const byType = new Map(changes.map((change) => [change.type, change]));
  return list.map((type) => changedType(type, byType.get(type), market));
}

interface Change {
  readonly type: InstanceType;
  /** Every offering of the type; absent: at the published prices. */
  readonly usd?: readonly (readonly [Offering, number])[];
  readonly more?: Resources;
}

function changeOf(
  { type, all, prices, capacity }: TypeView,
  conflicts: ReadonlyMap<string, string>,
): Change | undefined {
  const winner = (touch: Touch) => touch.find(({ name }) => !conflicts.has(name));
  const changed = new Map<Offering, PriceChange>();
  for (const [offering, touch] of prices) {
    const price = winner(touch)?.price;
    if (price) changed.set(offering, price);
  }
  const more = Object.fromEntries(
    [...capacity].flatMap(([resource, touch]) => {
      const amount = winner(touch)?.capacity[resource];
      return amount === undefined ? [] : [[resource, amount]];
    }),
  );
  const isLarger = Object.keys(more).length > 0;
  if (changed.size === 0 && !isLarger) return undefined;
  return {
    type,
    ...(changed.size > 0 ? { usd: pricesOf(all, changed) } : {}),
    ...(isLarger ? { more } : {}),
  };
}

const pricesOf = (
  all: readonly Offering[],
  changed: ReadonlyMap<Offering, PriceChange>,
): (readonly [Offering, number])[] =>
  all.map((offering) => {
    const change = changed.get(offering);
    const { hourlyUsd } = offering;
    return [offering, change ? changedPrice(hourlyUsd, change) : hourlyUsd];
  });

function changedType(type: InstanceType, change: Change | undefined, market: string): InstanceType {
  if (!change) return type;
  const { usd, more } = change;
  return {
    ...type,
    capacity: { ...type.capacity, ...more },
    allocatable: { ...type.allocatable, ...more },
    overlay: { ...(usd ? { market } : {}), ...(more ? { capacity: more } : {}) },
  };
}
