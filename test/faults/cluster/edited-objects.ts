import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import { NODE_CLASS_NOT_FOUND, type NodeClassReadiness } from '../../../shared/model/nodes/node-class.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { EpochMs } from '../../../shared/model/time.ts';
import type { ClusterObjects } from '../../../shared/ports/cluster.ts';
import { DEFAULT_CLASS, resources, ZONES } from '../../support/builders.ts';
import type { PoolEdit } from '../model/history.ts';

/** The changes that users have made to objects for which the simulation has no store. */
export interface EditedObjects {
  /** How often the template of a pool has changed. */
  readonly poolVersions: Map<string, number>;
  /** By pool: it does not exist before this time. */
  readonly deletedPools: Map<string, EpochMs>;
  readonly poolEdits: Map<string, { readonly edit: PoolEdit; readonly until: EpochMs }>;
  brokenClass: { readonly isDeleted: boolean; readonly until: EpochMs } | undefined;
}

export const createEditedObjects = (): EditedObjects => ({
  poolVersions: new Map(),
  deletedPools: new Map(),
  poolEdits: new Map(),
  brokenClass: undefined,
});

/** The objects as users have changed them. */
export function applyEdits(objects: ClusterObjects, edited: EditedObjects, now: EpochMs): ClusterObjects {
  const { brokenClass, deletedPools } = edited;
  const broken = brokenClass && now < brokenClass.until ? brokenClass : undefined;
  return {
    ...objects,
    pools: objects.pools
      .filter(({ name }) => now >= (deletedPools.get(name) ?? 0))
      .map((pool) => editPool(pool, edited, now))
      .map((pool) => (broken ? { ...pool, ready: false, notReady: toNotReady(broken) } : pool)),
    ...(broken && { nodeClassReadiness: listReadiness(broken) }),
  };
}

interface BrokenClass {
  readonly isDeleted: boolean;
}

const toNotReady = ({ isDeleted }: BrokenClass) =>
  isDeleted
    ? { condition: NODE_CLASS_NOT_FOUND, message: 'the EC2NodeClass does not exist' }
    : { condition: 'SubnetsReady', message: 'no subnet matches' };

const listReadiness = (broken: BrokenClass): readonly NodeClassReadiness[] =>
  broken.isDeleted ? [] : [{ name: DEFAULT_CLASS.name, notReady: toNotReady(broken) }];

function editPool(pool: NodePool, edited: EditedObjects, now: EpochMs): NodePool {
  const version = edited.poolVersions.get(pool.name);
  const current = version === undefined ? pool : { ...pool, hash: `${pool.hash}-${version}` };
  const { edit, until = 0 } = edited.poolEdits.get(pool.name) ?? {};
  return edit && now < until ? EDITS[edit](current) : current;
}

const require = (pool: NodePool, key: string, value: string): NodePool => ({
  ...pool,
  hash: `${pool.hash}-${value}`,
  requirements: [...pool.requirements, { key, operator: 'In', values: [value] }],
});

const EDITS: Readonly<Record<PoolEdit, (pool: NodePool) => NodePool>> = {
  zone: (pool) => require(pool, ZONE_LABEL, ZONES[0]),
  'instance-type': (pool) => require(pool, INSTANCE_TYPE_LABEL, 'm7i.2xlarge'),
  limits: (pool) => ({ ...pool, limits: resources(4, 16) }),
};
