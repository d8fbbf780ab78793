import { capacityTypeOf, nodeGroupOf } from '../../console/views/node-labels.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
} from '../../shared/model/labels.ts';
import { memoize } from '../../shared/model/memo.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import { readLiveClaims } from '../live/live-claims.ts';
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
  { catalogue, priceOf }: LiveCatalogue,
): ClusterSnapshot {
  const names = new Set(pools.map(({ name }) => name));
  const launched = snapshot.nodes.filter((node) => node.ready && isOnEc2(node) && names.has(groupOf(node)));
  const claims = readLiveClaims({ nodeClaims: [], nodes: launched.map(toLabelled), pools }, catalogue, priceOf)
    .filter(({ launch }) => launch && priceOf(launch) !== undefined)
    .map((claim) => ({ ...claim, consolidatableSince: claim.createdAt }));
  const claimOf = new Map(claims.map((claim) => [claim.name, claim]));
  const nodes = snapshot.nodes.map((node) => {
    const claim = claimOf.get(node.name);
    return claim ? { ...node, labels: { ...claim.launch?.labels, ...toLabelled(node).labels } } : node;
  });
  return { ...snapshot, ...catalogue, pools, nodes, claims };
}

const toLabelled = memoize(
  (node: Node): Node => ({
    ...node,
    labels: {
      ...node.labels,
      [NODEPOOL_LABEL]: groupOf(node),
      [CAPACITY_TYPE_LABEL]: capacityTypeOf(node.labels) ?? 'on-demand',
      [REGISTERED_LABEL]: 'true',
      [INITIALIZED_LABEL]: 'true',
    },
  }),
);
