import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import {
  INITIALIZED_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../model/labels.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { Reason } from '../../model/reasons.ts';
import { isIn } from '../../model/requirement.ts';
import {
  intersectRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOfLabels,
  toRequirements,
} from '../../model/requirements.ts';
import { type DaemonGroup, daemonGroups } from './daemon-overhead.ts';
import type { ResourceColumns } from '../data-structures/resource-vectors.ts';
import { type Bitset, intersection, isEmptyBitset } from '../data-structures/bitset.ts';
import type { OfferingIndex, Where } from './offering-index.ts';
import { isCarried, whereAllowed } from './offering-scope.ts';
import type { TypeIndex } from './type-index.ts';

/** A NodePool made ready for one decision: what a node of it may be. */
export interface Template {
  readonly pool: NodePool;
  readonly requirements: Requirements;
  /** The part that a claim has to carry: neither types nor offerings decide it for good. */
  readonly custom: Requirements;
  readonly types: Bitset;
  readonly where: Where;
  readonly daemons: readonly DaemonGroup[];
  readonly minValues: readonly MinValues[];
  /** Whether any limit is set: without one, no accounts are kept. */
  readonly limited: boolean;
}

/** How many values of a key the types of a node have to leave open. */
export interface MinValues {
  readonly key: string;
  readonly count: number;
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

/** What templates are made from. */
interface Prepared {
  readonly snapshot: ClusterSnapshot;
  readonly index: TypeIndex;
  readonly offerings: OfferingIndex;
  readonly columns: ResourceColumns;
}

export function templatesOf(prepared: Prepared): Templates {
  const { snapshot, index } = prepared;
  const usable: Template[] = [];
  const unusable: UnusablePool[] = [];
  for (const pool of snapshot.pools.toSorted(heaviestFirst)) {
    const why = whyNotForPods(pool);
    if (why !== undefined) {
      const reason: Reason = { code: 'pool-takes-no-pods', fields: { pool: pool.name, why } };
      unusable.push({ pool: pool.name, reason });
      continue;
    }
    const template = templateOf(pool, prepared);
    const reason = whyUnusable(template, index, snapshot);
    if (reason) unusable.push({ pool: pool.name, reason });
    else usable.push(template);
  }
  return { usable, unusable };
}

function whyNotForPods({ deleting, replicas }: NodePool): string | undefined {
  if (deleting) return 'it is being deleted';
  return replicas === undefined ? undefined : `it is static, with ${replicas} replicas`;
}

const heaviestFirst = (a: NodePool, b: NodePool): number =>
  b.weight - a.weight || (a.name < b.name ? 1 : -1);

// Pools and DaemonSets stay the same objects for hours, and decisions are made every few seconds.
const ready = new WeakMap<
  NodePool,
  { readonly from: readonly unknown[]; readonly template: Template }
>();

export function templateOf(pool: NodePool, prepared: Prepared): Template {
  const { snapshot, index, offerings, columns } = prepared;
  const list = snapshot.instanceTypes[pool.name];
  const zones = snapshot.zones?.[pool.name]?.join(' ');
  const from = [index, list, columns, offerings.zones, zones, snapshot.daemonSets];
  const known = ready.get(pool);
  if (known?.from.every((part, position) => part === from[position])) return known.template;
  const template = makeTemplate(pool, prepared);
  ready.set(pool, { from, template });
  return template;
}

function makeTemplate(pool: NodePool, { snapshot, index, offerings, columns }: Prepared): Template {
  // DaemonSets may select nodes that are registered or initialized: these will be, in time.
  const states = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
  const requirements = intersectRequirements(
    toRequirements(pool.requirements),
    zonesOfClass(pool, snapshot),
    requirementsOfLabels({
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [NODECLASS_LABEL]: pool.nodeClass.name,
      ...states,
    }),
  );
  const list = snapshot.instanceTypes[pool.name] ?? [];
  const types = intersection(index.ofList(list), index.matching(requirements));
  const custom = new Map([...requirements].filter(([key]) => isCarried(key, index)));
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

/** Elsewhere no subnet is there for its nodes. */
function zonesOfClass({ name }: NodePool, { zones }: ClusterSnapshot): Requirements {
  const known = zones?.[name];
  return known ? new Map([[ZONE_LABEL, isIn(...known)]]) : NO_REQUIREMENTS;
}

export const subnetsFull = (pool: NodePool, zones: readonly string[]): Reason => ({
  code: 'subnets-full',
  fields: { pool: pool.name, nodeClass: pool.nodeClass.name, zone: zones.join(', ') },
});

export function whyUnusable(
  { pool, types, where }: Template,
  index: TypeIndex,
  { fullZones = {} }: Pick<ClusterSnapshot, 'fullZones'>,
): Reason | undefined {
  if (!pool.ready) {
    const { condition = 'Ready', message = 'not reported yet' } = pool.notReady ?? {};
    return { code: 'pool-not-ready', fields: { pool: pool.name, condition, message } };
  }
  if (isEmptyBitset(types) || where.zones === 0 || where.capacityTypes === 0) {
    const full = fullZones[pool.name] ?? [];
    if (full.length > 0) return subnetsFull(pool, full);
    const fields = { pool: pool.name, total: `${index.types.length}` };
    return { code: 'pool-has-no-types', fields };
  }
  return undefined;
}
