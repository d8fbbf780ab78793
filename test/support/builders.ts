import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type Labels,
  NODEPOOL_LABEL,
  OS_LABEL,
  REGION_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { Launch, NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { NodeClassRef, NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { CapacityType, InstanceType, Offering } from '../../shared/model/offerings/instance-type.ts';
import type { Pod, PodSpec, PodTemplate } from '../../shared/model/pods/pod.ts';
import type { DaemonSet, Deployment, Job, PodDisruptionBudget, StatefulSet } from '../../shared/model/pods/workload.ts';
import type { LabelSelector } from '../../shared/model/requirements/selectors.ts';
import { GIB, type Resources } from '../../shared/model/resources.ts';
import type { EpochMs } from '../../shared/model/time.ts';

/** 2026-01-01T12:00:00Z, the time at which tests start. */
export const NOON: EpochMs = 1_767_268_800_000;

export const REGION = 'us-east-1';
export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;
export const DEFAULT_CLASS: NodeClassRef = {
  group: 'karpenter.k8s.aws',
  kind: 'EC2NodeClass',
  name: 'default',
};

/** Converts whole CPUs and GiB to `Resources`; `pods` is absent unless given. */
export const resources = (cpus: number, memoryGib: number, more: Resources = {}): Resources => ({
  cpu: cpus * 1000,
  memory: memoryGib * GIB,
  ...more,
});

/** A pod spec that requests 1 CPU and 1 GiB and can run anywhere. */
export const aPodSpec = (over: Partial<PodSpec> = {}): PodSpec => ({
  requests: resources(1, 1, { pods: 1 }),
  nodeSelector: {},
  requiredNodeTerms: [],
  preferredNodeTerms: [],
  tolerations: [],
  topologySpread: [],
  podAffinity: [],
  podAntiAffinity: [],
  preferredPodAffinity: [],
  preferredPodAntiAffinity: [],
  hostPorts: [],
  volumeClaims: [],
  schedulingGates: [],
  priority: 0,
  terminationGracePeriodMs: 30_000,
  ...over,
});

export const aPodTemplate = (over: Partial<PodTemplate> = {}): PodTemplate => ({
  labels: { app: 'web' },
  annotations: {},
  spec: aPodSpec(),
  ...over,
});

/**
 * A pod without an owner, pending and unschedulable since `NOON`. Its uid follows from its name.
 */
export const aPod = (over: Partial<Pod> = {}): Pod => {
  const { namespace = 'default', name = 'web-1' } = over;
  return {
    ...aPodTemplate(),
    namespace,
    name,
    uid: `pod-${namespace}-${name}`,
    createdAt: NOON,
    phase: 'Pending',
    ready: false,
    unschedulableSince: NOON,
    ...over,
  };
};

/** Like `aPod`, but bound to `nodeName`, running and ready. */
export const aRunningPod = (nodeName: string, over: Partial<Pod> = {}): Pod => {
  const { unschedulableSince: _, ...bound } = aPod();
  const { namespace = 'default', name = 'web-1' } = over;
  return {
    ...bound,
    uid: `pod-${namespace}-${name}`,
    phase: 'Running',
    ready: true,
    startedAt: NOON,
    nodeName,
    ...over,
  };
};

/** `count` equal pods of one ReplicaSet, which share their template. */
export function podsOf(count: number, over: Partial<Pod> = {}): readonly Pod[] {
  const { name = 'web', ...rest } = over;
  const template = aPodTemplate();
  const owner = { kind: 'ReplicaSet', name, uid: `rs-${name}` };
  return Array.from({ length: count }, (_, index) =>
    aPod({ ...template, owner, ...rest, name: `${name}-${index + 1}` }),
  );
}

/** An on-demand m7i.large in the first zone: registered, initialized and ready. */
export const aNode = (over: Partial<Node> = {}): Node => {
  const { name = 'node-1' } = over;
  return {
    name,
    uid: `node-${name}`,
    providerId: `aws:///${ZONES[0]}/i-${name}`,
    createdAt: NOON,
    labels: nodeLabels(),
    annotations: {},
    taints: [],
    capacity: resources(2, 8, { pods: 29 }),
    allocatable: resources(1.93, 7, { pods: 29 }),
    ready: true,
    finalizers: ['karpenter.sh/termination'],
    ...over,
  };
};

/** Labels of an initialized node, without `kubernetes.io/hostname`. */
export const nodeLabels = (over: Labels = {}): Labels => ({
  [NODEPOOL_LABEL]: 'general',
  [REGISTERED_LABEL]: 'true',
  [INITIALIZED_LABEL]: 'true',
  [CAPACITY_TYPE_LABEL]: 'on-demand',
  [INSTANCE_TYPE_LABEL]: 'm7i.large',
  [ZONE_LABEL]: ZONES[0],
  [REGION_LABEL]: REGION,
  [ARCH_LABEL]: 'amd64',
  [OS_LABEL]: 'linux',
  ...over,
});

/** A ready pool without limits. It consolidates at once, one node in ten at a time. */
export const aNodePool = (over: Partial<NodePool> = {}): NodePool => {
  const { name = 'general' } = over;
  return {
    name,
    uid: `pool-${name}`,
    weight: 0,
    nodeClass: DEFAULT_CLASS,
    requirements: [],
    labels: {},
    annotations: {},
    taints: [],
    startupTaints: [],
    limits: {},
    disruption: {
      consolidateAfterMs: 0,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '10%' }],
    },
    hash: `hash-${name}`,
    ready: true,
    deleting: false,
    ...over,
  };
};

export const aNodeClass = (over: Partial<EC2NodeClass> = {}): EC2NodeClass => {
  const { name = 'default' } = over;
  return { name, uid: `class-${name}`, amiFamily: 'AL2023', kubelet: {}, hash: 'hash', ...over };
};

/** A launch of an on-demand m7i.large in the first zone. */
export const aLaunch = (over: Partial<Launch> = {}): Launch => ({
  providerId: `aws:///${ZONES[0]}/i-node-1`,
  instanceType: 'm7i.large',
  zone: ZONES[0],
  capacityType: 'on-demand',
  hourlyUsd: 0.1008,
  at: NOON,
  labels: nodeLabels(),
  capacity: resources(2, 8, { pods: 29 }),
  allocatable: resources(1.93, 7, { pods: 29 }),
  ...over,
});

/** A claim that was requested at `NOON` and is not launched yet. */
export const aNodeClaim = (over: Partial<NodeClaim> = {}): NodeClaim => {
  const { name = 'general-1', pool = 'general' } = over;
  return {
    name,
    uid: `claim-${name}`,
    pool,
    poolHash: `hash-${pool}`,
    nodeClass: DEFAULT_CLASS,
    createdAt: NOON,
    labels: { [NODEPOOL_LABEL]: pool },
    annotations: {},
    taints: [],
    startupTaints: [],
    requirements: [],
    instanceTypes: ['m7i.large'],
    requests: resources(1, 1, { pods: 1 }),
    decision: 'decision-1',
    ...over,
  };
};

/** A claim that was launched, registered and initialized as the node `nodeName`, all at `NOON`. */
export const anInitializedClaim = (nodeName: string, over: Partial<NodeClaim> = {}): NodeClaim =>
  aNodeClaim({
    launch: aLaunch({ providerId: `aws:///${ZONES[0]}/i-${nodeName}` }),
    nodeName,
    registeredAt: NOON,
    initializedAt: NOON,
    lastPodEventAt: NOON,
    ...over,
  });

/** An m7i.large: 2 CPUs, 8 GiB, amd64, Linux. */
export const anInstanceType = (over: Partial<InstanceType> = {}): InstanceType => {
  const { name = 'm7i.large', labels = {} } = over;
  const [family = name, size = 'large'] = name.split('.');
  return {
    name,
    capacity: resources(2, 8, { pods: 29 }),
    allocatable: resources(1.93, 7, { pods: 29 }),
    ...over,
    labels: {
      [INSTANCE_TYPE_LABEL]: name,
      [ARCH_LABEL]: 'amd64',
      [OS_LABEL]: 'linux',
      [REGION_LABEL]: REGION,
      'karpenter.k8s.aws/instance-family': family,
      'karpenter.k8s.aws/instance-category': family.replace(/\d.*/, ''),
      'karpenter.k8s.aws/instance-size': size,
      'karpenter.k8s.aws/instance-cpu': '2',
      ...labels,
    },
  };
};

/**
 * An instance type with `cpus` CPUs and `memoryGib` GiB, all of it allocatable, for simple sums.
 */
export const aTypeOf = (
  name: string,
  cpus: number,
  memoryGib: number,
  over: Partial<InstanceType> = {},
): InstanceType => {
  const all = resources(cpus, memoryGib, { pods: 110 });
  const { labels = {}, ...rest } = over;
  return anInstanceType({
    name,
    capacity: all,
    allocatable: all,
    labels: { 'karpenter.k8s.aws/instance-cpu': `${cpus}`, ...labels },
    ...rest,
  });
};

export const anOffering = (over: Partial<Offering> = {}): Offering => ({
  instanceType: 'm7i.large',
  zone: ZONES[0],
  capacityType: 'on-demand',
  hourlyUsd: 0.1008,
  ...over,
});

/** One offering for each zone and capacity type; spot costs 40 % of on-demand. */
export const offeringsOf = (
  instanceType: string,
  onDemandUsd: number,
  zones: readonly string[] = ZONES,
  capacityTypes: readonly CapacityType[] = ['on-demand', 'spot'],
): readonly Offering[] =>
  zones.flatMap((zone) =>
    capacityTypes.map((capacityType) => ({
      instanceType,
      zone,
      capacityType,
      hourlyUsd: capacityType === 'spot' ? onDemandUsd * 0.4 : onDemandUsd,
    })),
  );

/**
 * A snapshot of an empty cluster with one pool, `general`, that may run m7i.large in three zones.
 * Pools without types of their own may run the default types.
 */
export const aSnapshot = (over: Partial<ClusterSnapshot> = {}): ClusterSnapshot => {
  const { pools = [aNodePool()] } = over;
  const types = [anInstanceType()];
  return {
    takenAt: NOON,
    pods: [],
    nodes: [],
    claims: [],
    daemonSets: [],
    podDisruptionBudgets: [],
    namespaces: { default: { 'kubernetes.io/metadata.name': 'default' } },
    offerings: offeringsOf('m7i.large', 0.1008),
    unavailable: [],
    nominations: {},
    ...over,
    pools,
    instanceTypes: {
      ...Object.fromEntries(pools.map(({ name }) => [name, types])),
      ...over.instanceTypes,
    },
  };
};

/** A selector for the labels. */
export const aSelector = (matchLabels: Labels = { app: 'web' }): LabelSelector => ({
  matchLabels,
  matchExpressions: [],
});

const aWorkload = { namespace: 'default', annotations: {} };

export const aDeployment = (over: Partial<Deployment> = {}): Deployment => ({
  ...aWorkload,
  kind: 'Deployment',
  name: 'web',
  replicas: 1,
  template: aPodTemplate(),
  ...over,
});

export const aStatefulSet = (over: Partial<StatefulSet> = {}): StatefulSet => ({
  ...aWorkload,
  kind: 'StatefulSet',
  name: 'db',
  replicas: 1,
  template: aPodTemplate({ labels: { app: 'db' } }),
  ...over,
});

/** Requests 100 millicores on every node. */
export const aDaemonSet = (over: Partial<DaemonSet> = {}): DaemonSet => ({
  ...aWorkload,
  kind: 'DaemonSet',
  name: 'agent',
  template: aPodTemplate({
    labels: { app: 'agent' },
    spec: aPodSpec({
      requests: { cpu: 100, pods: 1 },
      tolerations: [{ operator: 'Exists' }],
    }),
  }),
  ...over,
});

export const aJob = (over: Partial<Job> = {}): Job => ({
  ...aWorkload,
  kind: 'Job',
  name: 'batch',
  completions: 1,
  parallelism: 1,
  template: aPodTemplate({ labels: { app: 'batch' } }),
  ...over,
});

/** A budget that allows no disruption of pods labelled `app: web`. */
export const aPodDisruptionBudget = (over: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget => ({
  namespace: 'default',
  name: 'web',
  selector: aSelector(),
  maxUnavailable: '0',
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  disruptionsAllowed: 0,
  currentHealthy: 1,
  desiredHealthy: 1,
  expectedPods: 1,
  ...over,
});
