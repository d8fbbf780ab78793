import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../model/labels.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Reason } from '../model/reasons.ts';
import {
  allowsValue,
  type Conflict,
  findConflict,
  intersectRequirements,
  isIn,
  type Requirement,
  type Requirements,
  requirementsOfLabels,
  toRequirements,
} from '../model/requirements.ts';
import { NODES } from '../model/resources.ts';
import { type Bitset, forEachBit, intersection, isEmptyBitset } from './bitset.ts';
import { type DaemonGroup, daemonGroups } from './daemons.ts';
import type { OfferingIndex, Where } from './offering-index.ts';
import { CAPACITY_TYPES } from './price-table.ts';
import type { TypeIndex } from './type-index.ts';
import { at, type ResourceColumns, type Vector } from './vectors.ts';

/** A NodePool made ready for one decision: what a node of it may be. */
export interface Template {
  readonly pool: NodePool;
  readonly requirements: Requirements;
  /** The part that neither types nor offerings decide. */
  readonly custom: Requirements;
  readonly types: Bitset;
  readonly where: Where;
  readonly daemons: readonly DaemonGroup[];
  readonly minValues: readonly { readonly key: string; readonly count: number }[];
  /** Whether any limit is set: without one, no accounts are kept. */
  readonly limited: boolean;
}

/** A pool that no pod can use now, and why. */
export interface UnusablePool {
  readonly pool: string;
  readonly reason: Reason;
}

export interface Templates {
  /** Heaviest first; equal weights by name descending, as Karpenter does. */
  readonly usable: readonly Template[];
  readonly unusable: readonly UnusablePool[];
}

export function templatesOf(
  snapshot: ClusterSnapshot,
  index: TypeIndex,
  offerings: OfferingIndex,
  columns: ResourceColumns,
): Templates {
  const usable: Template[] = [];
  const unusable: UnusablePool[] = [];
  for (const pool of snapshot.pools.toSorted(heaviestFirst)) {
    if (pool.replicas !== undefined || pool.deleting) continue;
    const template = templateOf(pool, snapshot, index, offerings, columns);
    const reason = whyUnusable(template, index);
    if (reason) unusable.push({ pool: pool.name, reason });
    else usable.push(template);
  }
  return { usable, unusable };
}

const heaviestFirst = (a: NodePool, b: NodePool): number =>
  b.weight - a.weight || (a.name < b.name ? 1 : -1);

// Pools and DaemonSets stay the same objects for hours, and decisions are made every few seconds.
const ready = new WeakMap<
  NodePool,
  { readonly from: readonly unknown[]; readonly template: Template }
>();

function templateOf(
  pool: NodePool,
  snapshot: ClusterSnapshot,
  index: TypeIndex,
  offerings: OfferingIndex,
  columns: ResourceColumns,
): Template {
  const from = [index, columns, offerings.zones, snapshot.daemonSets];
  const known = ready.get(pool);
  if (known?.from.every((part, position) => part === from[position])) return known.template;
  const template = makeTemplate(pool, snapshot, index, offerings, columns);
  ready.set(pool, { from, template });
  return template;
}

function makeTemplate(
  pool: NodePool,
  snapshot: ClusterSnapshot,
  index: TypeIndex,
  offerings: OfferingIndex,
  columns: ResourceColumns,
): Template {
  // DaemonSets may select nodes that are registered or initialized: these will be, in time.
  const states = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
  const requirements = intersectRequirements(
    toRequirements(pool.requirements),
    requirementsOfLabels({
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [NODECLASS_LABEL]: pool.nodeClass.name,
      ...states,
    }),
  );
  const list = snapshot.instanceTypes[pool.name] ?? [];
  const types = intersection(index.ofList(list), index.matching(requirements));
  const custom = new Map([...requirements].filter(([key]) => !index.decides(key) && !isPlace(key)));
  return {
    pool,
    requirements,
    custom,
    types,
    where: whereAllowed(requirements, offerings.everywhere, offerings.zones),
    daemons: daemonGroups(
      snapshot.daemonSets,
      { requirements, taints: pool.taints, types },
      index,
      columns,
    ),
    minValues: [...requirements].flatMap(([key, { minValues }]) =>
      minValues === undefined ? [] : [{ key, count: minValues }],
    ),
    limited: Object.keys(pool.limits).length > 0,
  };
}

const isPlace = (key: string): boolean => key === ZONE_LABEL || key === CAPACITY_TYPE_LABEL;

function whyUnusable({ pool, types, where }: Template, index: TypeIndex): Reason | undefined {
  if (!pool.ready) {
    const { condition = 'Ready', message = 'not reported yet' } = pool.notReady ?? {};
    return { code: 'pool-not-ready', fields: { pool: pool.name, condition, message } };
  }
  if (isEmptyBitset(types) || where.zones === 0 || where.capacityTypes === 0) {
    const fields = { pool: pool.name, total: `${index.types.length}` };
    return { code: 'pool-has-no-types', fields };
  }
  return undefined;
}

/** Narrows `where` to the zones and capacity types that `requirements` allow. */
function whereAllowed(requirements: Requirements, where: Where, zones: readonly string[]): Where {
  return {
    zones: allowedBits(requirements.get(ZONE_LABEL), zones) & where.zones,
    capacityTypes:
      allowedBits(requirements.get(CAPACITY_TYPE_LABEL), CAPACITY_TYPES) & where.capacityTypes,
  };
}

function allowedBits(requirement: Requirement | undefined, values: readonly string[]): number {
  let bits = 0;
  values.forEach((value, position) => {
    if (!requirement || allowsValue(requirement, value)) bits += 2 ** position;
  });
  return bits;
}

/** What of a template is left for pods with some requirements. */
export interface Narrowed {
  readonly types: Bitset;
  readonly where: Where;
  readonly custom: Requirements;
}

export type Narrowing =
  | { readonly outcome: 'narrowed'; readonly narrowed: Narrowed }
  | { readonly outcome: 'conflict'; readonly conflict: Conflict };

export function narrowTemplate(
  template: Template,
  requirements: Requirements,
  index: TypeIndex,
  zones: readonly string[],
): Narrowing {
  const conflict = findConflict(template.requirements, requirements, WELL_KNOWN_LABELS);
  if (conflict) return { outcome: 'conflict', conflict };

  const own = [...requirements].filter(([key]) => !index.decides(key) && !isPlace(key));
  return {
    outcome: 'narrowed',
    narrowed: {
      types: intersection(template.types, index.matching(requirements)),
      where: whereAllowed(requirements, template.where, zones),
      custom:
        own.length > 0 ? intersectRequirements(template.custom, new Map(own)) : template.custom,
    },
  };
}

/** Narrows once more, to one value of one key: the topology domain that was chosen. */
export function pinDomain(
  { types, where, custom }: Narrowed,
  key: string,
  domain: string,
  index: TypeIndex,
  zones: readonly string[],
): Narrowed {
  const pin: Requirements = new Map([[key, isIn(domain)]]);
  if (isPlace(key)) return { types, where: whereAllowed(pin, where, zones), custom };
  if (index.decides(key)) return { types: intersection(types, index.matching(pin)), where, custom };
  return { types, where, custom: intersectRequirements(custom, pin) };
}

/** Whether the types still offer as many values of each key as the pool's minValues ask. */
export function meetsMinValues(
  { minValues }: Template,
  types: Bitset,
  index: TypeIndex,
): { readonly key: string; readonly wanted: number; readonly found: number } | undefined {
  for (const { key, count } of minValues) {
    const found = distinctValues(types, key, index);
    if (found < count) return { key, wanted: count, found };
  }
  return undefined;
}

// Zones and capacity types are counted where offerings are: types alone cannot run out of them.
function distinctValues(types: Bitset, key: string, index: TypeIndex): number {
  if (!index.decides(key)) return Infinity;
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const value = index.types[number]?.labels[key];
    if (value !== undefined) values.add(value);
  });
  return values.size;
}

/** What a pool may still add; Infinity where nothing limits it. */
export interface Allowance {
  readonly left: Vector;
  nodes: number;
}

/**
 * Limits less the capacity of the pool's nodes and claims that are not going away.
 *
 * @param used - capacity in use by resource column, and nodes, by pool name
 */
export function allowanceOf(
  pool: NodePool,
  used: { readonly capacity: Vector; readonly nodes: number } | undefined,
  columns: ResourceColumns,
): Allowance {
  const left = new Float64Array(columns.names.length).fill(Infinity);
  for (const name in pool.limits) {
    const column = columns.indexOf.get(name);
    if (column === undefined) continue;
    left[column] = (pool.limits[name] ?? 0) - (used ? at(used.capacity, column) : 0);
  }
  return { left, nodes: (pool.limits[NODES] ?? Infinity) - (used?.nodes ?? 0) };
}
