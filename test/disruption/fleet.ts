import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { ReasonCode } from '../../shared/model/explanations/reasons.ts';
import { HOSTNAME_LABEL } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { CapacityType, InstanceType, Offering } from '../../shared/model/offerings/instance-type.ts';
import type { DisruptionCommand, NodeVerdict } from '../../shared/model/plans.ts';
import type { Pod, PodSpec } from '../../shared/model/pods/pod.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import {
  aLaunch,
  aNode,
  aNodePool,
  anInitializedClaim,
  aPodSpec,
  aRunningPod,
  aSnapshot,
  aTypeOf,
  NOON,
  nodeLabels,
  resources,
  ZONES,
} from '../support/builders.ts';
import { checkCommand } from '../vectors/check-command.ts';

/** Allocatable equals capacity, so that sums stay simple. */
export const TYPES: readonly InstanceType[] = [
  aTypeOf('small', 2, 8),
  aTypeOf('medium', 4, 16),
  aTypeOf('large', 8, 32),
];

/** On-demand offerings in three zones: $0.10 per hour for two CPUs, in proportion for others. */
export const onDemand = (type: InstanceType, usd = (type.capacity.cpu ?? 0) / 20_000): Offering[] =>
  ZONES.map((zone) => priced(type.name, 'on-demand', zone, usd));

export const priced = (
  instanceType: string,
  capacityType: CapacityType,
  zone: string,
  hourlyUsd: number,
): Offering => ({ instanceType, capacityType, zone, hourlyUsd });

/** A pool that permits every disruption at once. */
export const aWillingPool = (over: Partial<NodePool> = {}): NodePool =>
  aNodePool({
    ...over,
    disruption: {
      consolidateAfterMs: 0,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '100%' }],
      ...over.disruption,
    },
  });

/** `aWillingPool` with other disruption settings. */
export const willing = (disruption: Partial<NodePool['disruption']>, name = 'general'): NodePool => {
  const pool = aWillingPool({ name });
  return { ...pool, disruption: { ...pool.disruption, ...disruption } };
};

/** A managed node with its claim; node and pods have run since an hour before noon. */
export interface FleetNode {
  readonly name: string;
  readonly type?: string;
  readonly zone?: string;
  readonly capacityType?: CapacityType;
  readonly pool?: string;
  /** Pod names or pods; all of them are bound to this node. */
  readonly pods?: readonly Pod[];
  readonly node?: Partial<Node>;
  readonly claim?: Partial<NodeClaim>;
}

const SINCE = NOON - HOUR_MS;

/** A pod of a ReplicaSet that requests CPUs and a GiB of memory. */
export const web = (name: string, cpus = 0.5, over: Partial<PodSpec> = {}): Pod =>
  aRunningPod('', {
    name,
    owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
    createdAt: SINCE,
    startedAt: SINCE,
    spec: aPodSpec({ requests: resources(cpus, 1, { pods: 1 }), ...over }),
  });

/** `count` such pods, named after `name`. */
export const webs = (count: number, name: string, cpus?: number): Pod[] =>
  Array.from({ length: count }, (_, index) => web(`${name}-${index + 1}`, cpus));

export interface Fleet extends Partial<ClusterSnapshot> {
  readonly types?: readonly InstanceType[];
}

export function aFleet(nodes: readonly FleetNode[], { types = TYPES, ...over }: Fleet = {}): ClusterSnapshot {
  const pools = over.pools ?? [aWillingPool()];
  return aSnapshot({
    offerings: types.flatMap((type) => onDemand(type)),
    instanceTypes: Object.fromEntries(pools.map(({ name }) => [name, types])),
    ...over,
    pools,
    nodes: [...nodes.map((one) => nodeOf(one, types)), ...(over.nodes ?? [])],
    claims: [...nodes.map((one) => claimOf(one, types)), ...(over.claims ?? [])],
    pods: [
      ...nodes.flatMap(({ name, pods = [] }) => pods.map((pod) => ({ ...pod, nodeName: name }))),
      ...(over.pods ?? []),
    ],
  });
}

const labelsOf = (node: FleetNode) => {
  const { name, type = 'small', zone = ZONES[0], capacityType = 'on-demand' } = node;
  return nodeLabels({
    [HOSTNAME_LABEL]: name,
    'karpenter.sh/nodepool': node.pool ?? 'general',
    'karpenter.sh/capacity-type': capacityType,
    'node.kubernetes.io/instance-type': type,
    'topology.kubernetes.io/zone': zone,
  });
};

const sizeOf = ({ type = 'small' }: FleetNode, types: readonly InstanceType[]) => {
  const result = types.find(({ name }) => name === type);
  return result ?? aTypeOf(type, 2, 8);
};

function nodeOf(node: FleetNode, types: readonly InstanceType[]): Node {
  const { name } = node;
  const { capacity, allocatable } = sizeOf(node, types);
  const labels = labelsOf(node);
  return aNode({
    name,
    providerId: `aws:///i-${name}`,
    createdAt: SINCE,
    labels,
    capacity,
    allocatable,
    ...node.node,
  });
}

function claimOf(node: FleetNode, types: readonly InstanceType[]): NodeClaim {
  const { name, type = 'small', zone = ZONES[0], capacityType = 'on-demand' } = node;
  const { capacity, allocatable } = sizeOf(node, types);
  const labels = labelsOf(node);
  return anInitializedClaim(name, {
    name,
    pool: node.pool ?? 'general',
    createdAt: SINCE,
    labels: { 'karpenter.sh/nodepool': node.pool ?? 'general' },
    instanceTypes: [type],
    launch: aLaunch({
      providerId: `aws:///i-${name}`,
      instanceType: type,
      zone,
      capacityType,
      at: SINCE,
      labels,
      capacity,
      allocatable,
    }),
    registeredAt: SINCE,
    initializedAt: SINCE,
    lastPodEventAt: SINCE,
    ...node.claim,
  });
}

export interface Decision {
  readonly command: DisruptionCommand | undefined;
  /** Names of the removed claims, sorted. */
  readonly gone: readonly string[];
  /** Types that a replacement may be launched as; empty without a replacement. */
  readonly replacedBy: readonly string[];
  readonly verdicts: readonly NodeVerdict[];
}

/**
 * @throws Error - the command would leave a pod without a valid place
 */
export function decide(snapshot: ClusterSnapshot, running: readonly DisruptionCommand[] = []): Decision {
  const { command, verdicts } = planDisruption(snapshot, running, 'decision-1');
  const objections = command ? checkCommand(snapshot, command) : [];
  if (objections.length > 0) throw new Error(objections.slice(0, 5).join('\n'));
  return {
    command,
    gone: command?.candidates.toSorted() ?? [],
    replacedBy: command?.replacements.flatMap(({ claim }) => claim.instanceTypes) ?? [],
    verdicts,
  };
}

/** Why a node stays; `undefined` if it has no verdict or is removed. */
export const findStayReason = ({ verdicts }: Decision, name: string): ReasonCode | undefined =>
  verdicts.find(({ claim, outcome }) => claim === name && outcome === 'stays')?.reason.code;

/** A running command, as the next decision sees it. */
export const runningCommand = (...candidates: string[]): DisruptionCommand => ({
  id: 'earlier',
  reason: 'Underutilized',
  decidedAt: NOON,
  validatedAt: NOON,
  candidates,
  replacements: [],
  placements: [],
  savingHourlyUsd: 0,
});
