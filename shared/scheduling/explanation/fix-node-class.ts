import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { NODE_CLASS_NOT_FOUND } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { formatAmount } from '../../model/quantity.ts';
import { EPHEMERAL_STORAGE, GIB, PODS } from '../../model/resources.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { type FixProposer, withPool } from './fix-proposal.ts';

/** By the reason of a condition: the field of the EC2NodeClass that selects nothing. */
const CLASS_FIELDS: Readonly<Record<string, readonly [field: string, what: string]>> = {
  SubnetsNotFound: ['subnetSelectorTerms', 'a subnet'],
  SecurityGroupsNotFound: ['securityGroupSelectorTerms', 'a security group'],
  AMINotFound: ['amiSelectorTerms', 'an image'],
};

/** Proposes to correct the EC2NodeClass, or to create it: as if it selected subnets in all zones. */
export const proposeClassCorrection: FixProposer = (pool, { fields }, pods, { snapshot }) => {
  const { condition = '', message = '' } = fields;
  const [field, what] = ownValue(CLASS_FIELDS, condition) ?? [];
  if (field === undefined && condition !== NODE_CLASS_NOT_FOUND) return [];
  const { notReady: _, ...rest } = pool;
  const { [pool.name]: __, ...zones } = snapshot.zones ?? {};
  return [
    {
      kind: 'correct-class',
      object: `EC2NodeClass/${pool.nodeClass.name}`,
      path: field === undefined ? 'metadata.name' : `spec.${field}`,
      ...(field !== undefined && { from: message }),
      to: what ?? pool.nodeClass.name,
      snapshot: { ...withPool(snapshot, { ...rest, ready: true }), zones },
      pods,
    },
  ];
};

/** Proposes a subnet in a zone that has none, or none with free addresses. */
export const proposeSubnet: FixProposer = ({ name, nodeClass }, { code, fields }, pods, { snapshot }) => {
  const zones = (fields.zone ?? '').split(', ').filter((zone) => zone !== '');
  const isFull = code === 'subnets-full';
  return zones.slice(0, 1).map((zone) => {
    const present = ownValue(snapshot.zones, name);
    const full = ownValue(snapshot.fullZones, name) ?? [];
    return {
      kind: 'correct-class',
      object: `EC2NodeClass/${nodeClass.name}`,
      path: 'spec.subnetSelectorTerms',
      from: isFull ? 'subnets without free addresses' : (fields.given ?? ''),
      to: isFull ? `a subnet with free addresses in ${zone}` : `a subnet in ${zone}`,
      snapshot: {
        ...snapshot,
        ...(present && { zones: { ...snapshot.zones, [name]: [...new Set([...present, zone])] } }),
        fullZones: { ...snapshot.fullZones, [name]: full.filter((one) => one !== zone) },
      },
      pods,
    };
  });
};

/** The kubelet keeps this much of the disk, and evicts pods when a tenth is left. */
const KEPT_DISK = GIB;
const USABLE_SHARE = 0.9;
/** Sizes are rounded up to a multiple of this. */
const DISK_STEP = 10 * GIB;

/** Proposes a root volume that holds the ephemeral storage which one of the pods requests. */
export const proposeLargerDisk: FixProposer = (pool, _, pods, problem) => {
  const requested = Math.max(0, ...pods.map(({ spec }) => spec.requests[EPHEMERAL_STORAGE] ?? 0));
  if (requested === 0) return [];
  const needed = requested + findDaemonShare(pool, EPHEMERAL_STORAGE, problem);
  const size = Math.ceil((needed / USABLE_SHARE + KEPT_DISK / USABLE_SHARE) / DISK_STEP) * DISK_STEP;
  const types = ownValue(problem.snapshot.instanceTypes, pool.name) ?? [];
  const present = Math.min(...types.map(({ capacity }) => capacity[EPHEMERAL_STORAGE] ?? 0));
  if (size <= present) return [];
  const isNeeded = types.every(({ allocatable }) => (allocatable[EPHEMERAL_STORAGE] ?? 0) < needed);
  const amounts = { capacity: size, allocatable: size * USABLE_SHARE - KEPT_DISK };
  return [
    {
      ...(isNeeded && { isNeeded }),
      ...describeClassField(pool, 'spec.blockDeviceMappings', problem),
      from: formatAmount(EPHEMERAL_STORAGE, present),
      to: formatAmount(EPHEMERAL_STORAGE, size),
      snapshot: withTypeAmounts(problem.snapshot, pool, EPHEMERAL_STORAGE, amounts),
      pods,
    },
  ];
};

/** Numbers of pods that nodes have by default, by their size. */
const POD_COUNTS = [8, 11, 17, 29, 58, 110, 234] as const;

/** Proposes more pods for each node, if the EC2NodeClass limits all types alike. */
export const proposeMorePods: FixProposer = (pool, { fields }, pods, problem) => {
  const isAboutPods = fields.resource === PODS || fields.missing?.startsWith(`${PODS},`);
  const types = ownValue(problem.snapshot.instanceTypes, pool.name) ?? [];
  const counts = new Set(types.map(({ allocatable }) => allocatable[PODS] ?? 0));
  const [present = 0] = counts;
  const needed = findDaemonShare(pool, PODS, problem) + pods.length;
  const size = POD_COUNTS.find((count) => count >= needed && count > present);
  if (!isAboutPods || counts.size !== 1 || size === undefined) return [];
  return [
    {
      ...describeClassField(pool, 'spec.kubelet.maxPods', problem),
      from: `${present}`,
      to: `${size}`,
      snapshot: withTypeAmounts(problem.snapshot, pool, PODS, { capacity: size, allocatable: size }),
      pods,
    },
  ];
};

function findDaemonShare({ name }: NodePool, resource: string, { nodeTemplates, columns }: Problem): number {
  const column = columns.indexOf.get(resource);
  const daemons = nodeTemplates.find(({ pool }) => pool.name === name)?.daemons ?? [];
  return column === undefined ? 0 : Math.max(0, ...daemons.map(({ overhead }) => at(overhead, column)));
}

/** All nodes of the class drift. */
function describeClassField({ nodeClass }: NodePool, path: string, { snapshot }: Problem) {
  const pools = new Set(listPoolsOfClass(nodeClass.name, snapshot));
  const replacedNodes = snapshot.claims.filter(({ pool }) => pools.has(pool)).length;
  const object = `EC2NodeClass/${nodeClass.name}`;
  return { kind: 'change-class' as const, object, path, ...(replacedNodes > 0 && { replacedNodes }) };
}

const listPoolsOfClass = (name: string, { pools }: Pick<ClusterSnapshot, 'pools'>): readonly string[] =>
  pools.flatMap((pool) => (pool.nodeClass.name === name ? [pool.name] : []));

/** Gives all types of the class at least this much. */
function withTypeAmounts(
  snapshot: ClusterSnapshot,
  { nodeClass }: NodePool,
  resource: string,
  amounts: { readonly capacity: number; readonly allocatable: number },
): ClusterSnapshot {
  const enlarge = (type: InstanceType): InstanceType => ({
    ...type,
    capacity: {
      ...type.capacity,
      [resource]: Math.max(type.capacity[resource] ?? 0, amounts.capacity),
    },
    allocatable: {
      ...type.allocatable,
      [resource]: Math.max(type.allocatable[resource] ?? 0, amounts.allocatable),
    },
  });
  const pools = listPoolsOfClass(nodeClass.name, snapshot);
  const shared = new Map<readonly InstanceType[], readonly InstanceType[]>();
  const enlarged = pools.map((pool): [string, readonly InstanceType[]] => {
    const types = ownValue(snapshot.instanceTypes, pool) ?? [];
    const changed = shared.get(types) ?? types.map(enlarge);
    shared.set(types, changed);
    return [pool, changed];
  });
  return { ...snapshot, instanceTypes: { ...snapshot.instanceTypes, ...Object.fromEntries(enlarged) } };
}
