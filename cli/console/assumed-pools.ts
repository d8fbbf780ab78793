import { capacityTypeOf, nodeGroupOf } from '../../console/views/node-labels.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import type { LiveCatalogue, LiveNodeClass } from './live-catalogue.ts';

/**
 * NodePools as they would be if Mortise scaled the nodes of a cluster without NodePools: one for each
 * node group, with its architectures and capacity types, its taints, and the families c, m and r.
 */
export function assumePools(nodes: readonly Node[]): readonly NodePool[] {
  const groups = Map.groupBy(nodes.filter(isOnEc2), groupOf);
  return [...groups].map(([name, members]) => toPool(name, members));
}

const CLASS: EC2NodeClass = {
  name: 'assumed',
  uid: 'assumed',
  amiFamily: 'AL2023',
  kubelet: {},
  hash: '',
};

export const ASSUMED_CLASSES: ReadonlyMap<string, LiveNodeClass> = new Map([
  [CLASS.name, { nodeClass: CLASS, zones: [], images: [], subnets: [] }],
]);

const isOnEc2 = ({ providerId = '', labels }: Node): boolean =>
  providerId.startsWith('aws://') && labels[INSTANCE_TYPE_LABEL] !== undefined;

const groupOf = ({ labels }: Node): string => nodeGroupOf(labels) ?? 'nodes';

function toPool(name: string, members: readonly Node[]): NodePool {
  const valuesOf = (key: string): readonly string[] => [...new Set(members.flatMap(({ labels }) => labels[key] ?? []))];
  const capacityTypes = new Set(members.map(({ labels }) => capacityTypeOf(labels) ?? 'on-demand'));
  const requirements: readonly RequirementSpec[] = [
    { key: CAPACITY_TYPE_LABEL, operator: 'In', values: [...capacityTypes] },
    { key: ARCH_LABEL, operator: 'In', values: valuesOf(ARCH_LABEL) },
    { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
    { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
  ];
  return {
    ...{ name, uid: name, weight: 0, requirements, labels: {}, annotations: {} },
    nodeClass: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: CLASS.name },
    taints: members[0]?.taints.filter(({ key }) => !key.startsWith('node.kubernetes.io/')) ?? [],
    startupTaints: [],
    limits: {},
    disruption: {
      consolidateAfterMs: 0,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '100%' }],
    },
    ...{ hash: '', ready: true, deleting: false },
  };
}

/** The snapshot as if the nodes had been launched for the assumed pools. */
export function withAssumedPools(
  snapshot: ClusterSnapshot,
  pools: readonly NodePool[],
  { catalogue, priceOf, findType }: LiveCatalogue,
): ClusterSnapshot {
  const byName = new Map(pools.map((pool) => [pool.name, pool]));
  const claims: NodeClaim[] = [];
  const nodes = snapshot.nodes.map((node) => {
    const pool = isOnEc2(node) ? byName.get(groupOf(node)) : undefined;
    const claim = pool && toClaim(node, pool, { priceOf, findType });
    if (!claim?.launch) return node;
    claims.push(claim);
    const { capacityType } = claim.launch;
    return {
      ...node,
      labels: {
        ...claim.launch.labels,
        ...node.labels,
        [NODEPOOL_LABEL]: claim.pool,
        [CAPACITY_TYPE_LABEL]: capacityType,
        [REGISTERED_LABEL]: 'true',
        [INITIALIZED_LABEL]: 'true',
      },
    };
  });
  return { ...snapshot, ...catalogue, pools, nodes, claims };
}

function toClaim(
  { name, uid, createdAt, providerId = '', labels, taints, ...node }: Node,
  pool: NodePool,
  { priceOf, findType }: Pick<LiveCatalogue, 'priceOf' | 'findType'>,
): NodeClaim | undefined {
  const instanceType = labels[INSTANCE_TYPE_LABEL] ?? '';
  const zone = labels[ZONE_LABEL] ?? '';
  const capacityType = capacityTypeOf(labels) ?? 'on-demand';
  const hourlyUsd = priceOf({ instanceType, zone, capacityType });
  if (hourlyUsd === undefined || !node.ready) return undefined;
  return {
    ...{ name, uid, createdAt, taints, nodeName: name },
    pool: pool.name,
    poolUid: pool.uid,
    poolHash: pool.hash,
    nodeClass: pool.nodeClass,
    ...{ labels: {}, annotations: {}, startupTaints: [], requests: {}, decision: '' },
    requirements: pool.requirements,
    instanceTypes: [instanceType],
    launch: {
      ...{ providerId, instanceType, zone, capacityType, hourlyUsd, at: createdAt },
      labels: findType(pool, instanceType)?.labels ?? {},
      capacity: node.capacity,
      allocatable: node.allocatable,
    },
    registeredAt: createdAt,
    initializedAt: createdAt,
    consolidatableSince: createdAt,
  };
}
