import type { RawObject } from './raw-object.ts';

export const COLLECTIONS = {
  pods: '/api/v1/pods',
  nodes: '/api/v1/nodes',
  namespaces: '/api/v1/namespaces',
  daemonSets: '/apis/apps/v1/daemonsets',
  budgets: '/apis/policy/v1/poddisruptionbudgets',
  priorityClasses: '/apis/scheduling.k8s.io/v1/priorityclasses',
  pools: '/apis/karpenter.sh/v1/nodepools',
  claims: '/apis/karpenter.sh/v1/nodeclaims',
  nodeClasses: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses',
  leases: '/apis/coordination.k8s.io/v1/leases',
  replicaSets: '/apis/apps/v1/replicasets',
  statefulSets: '/apis/apps/v1/statefulsets',
  jobs: '/apis/batch/v1/jobs',
  quotas: '/api/v1/resourcequotas',
  services: '/api/v1/services',
  events: '/apis/events.k8s.io/v1/events',
} as const;

/** 2026-01-01T12:00:00Z, equal to `NOON` of the builders. */
export const NOON_TEXT = '2026-01-01T12:00:00Z';

interface Over {
  readonly name?: string;
  readonly metadata?: Partial<RawObject['metadata']>;
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

const metadata = (name: string, over: Over): RawObject['metadata'] => ({
  name: over.name ?? name,
  creationTimestamp: NOON_TEXT,
  ...over.metadata,
});

/** Pending and unschedulable, of the ReplicaSet `web`, with one CPU and one GiB. */
export const aLivePod = (over: Over = {}): RawObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...metadata('web-1', {
      ...over,
      metadata: {
        namespace: 'default',
        uid: `uid-${over.name ?? 'web-1'}`,
        labels: { app: 'web' },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: 'web',
            uid: 'rs-web',
            controller: true,
          },
        ],
        ...over.metadata,
      },
    }),
  },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'web:1',
        env: [{ name: 'PASSWORD', value: 'hunter2' }],
        resources: { requests: { cpu: '1', memory: '1Gi' } },
      },
    ],
    priority: 0,
    terminationGracePeriodSeconds: 30,
    ...over.spec,
  },
  status: {
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/0 nodes are available',
        lastTransitionTime: NOON_TEXT,
      },
    ],
    ...over.status,
  },
});

/** Bound to `node-1`, running and ready since `NOON`. */
export const aLiveRunningPod = (over: Over = {}): RawObject =>
  aLivePod({
    ...over,
    spec: { nodeName: 'node-1', ...over.spec },
    status: {
      phase: 'Running',
      startTime: NOON_TEXT,
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: NOON_TEXT },
        { type: 'Ready', status: 'True', lastTransitionTime: NOON_TEXT },
      ],
      ...over.status,
    },
  });

/** Ready, without taints and finalizers. */
export const aLiveNode = (over: Over = {}): RawObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: metadata('node-1', {
    ...over,
    metadata: {
      uid: `uid-${over.name ?? 'node-1'}`,
      labels: { 'kubernetes.io/os': 'linux' },
      ...over.metadata,
    },
  }),
  spec: { providerID: 'aws:///us-east-1a/i-node-1', ...over.spec },
  status: {
    capacity: { cpu: '2', memory: '8Gi', pods: '29' },
    allocatable: { cpu: '1930m', memory: '7Gi', pods: '29' },
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: NOON_TEXT }],
    ...over.status,
  },
});

export const aLivePool = (over: Over = {}): RawObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: metadata('general', { ...over, metadata: { uid: 'uid-general', ...over.metadata } }),
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      },
    },
    ...over.spec,
  },
  ...(over.status && { status: over.status }),
});

export const aLiveNodeClass = (over: Over = {}): RawObject => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: metadata('default', over),
  spec: { ...over.spec },
  status: { conditions: [{ type: 'Ready', status: 'True' }], ...over.status },
});

/** Selects pods with `app: web`. */
export const aLiveBudget = (over: Over = {}): RawObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadata('web', { ...over, metadata: { namespace: 'default', ...over.metadata } }),
  spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } }, ...over.spec },
  status: {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    ...over.status,
  },
});

export const aLiveDaemonSet = (over: Over = {}): RawObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: metadata('agent', {
    ...over,
    metadata: { namespace: 'kube-system', ...over.metadata },
  }),
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { creationTimestamp: null, labels: { app: 'agent' } },
      spec: {
        containers: [{ name: 'agent', resources: { requests: { cpu: '100m' } } }],
        terminationGracePeriodSeconds: 30,
      },
    },
    ...over.spec,
  },
  status: { numberReady: 0, ...over.status },
});

/** The owner of `aLivePod`. */
export const aLiveReplicaSet = (over: Over = {}): RawObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: metadata('web', {
    ...over,
    metadata: { namespace: 'default', uid: 'rs-web', ...over.metadata },
  }),
  spec: { replicas: 3, ...over.spec },
  status: { ...over.status },
});

export const aLiveQuota = (over: Over = {}): RawObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: metadata('quota', { ...over, metadata: { namespace: 'default', ...over.metadata } }),
  status: { ...over.status },
});

export const aLiveNamespace = (name = 'default'): RawObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
});

/** In the format of client-go's leader election. */
export const aKarpenterLease = (renewedAt: number): RawObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'karpenter', name: 'karpenter-leader-election' },
  spec: {
    holderIdentity: 'karpenter-7d9c_0b2f',
    leaseDurationSeconds: 15,
    renewTime: new Date(renewedAt).toISOString().replace('Z', '000Z'),
    leaseTransitions: 3,
  },
});

/** A claim of the pool `general` without a status. */
export const aLiveNodeClaim = (over: Over = {}): RawObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: metadata('general-1', {
    ...over,
    metadata: {
      uid: `uid-${over.name ?? 'general-1'}`,
      labels: { 'karpenter.sh/nodepool': 'general' },
      finalizers: ['karpenter.sh/termination'],
      ...over.metadata,
    },
  }),
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7i.large'] }],
    resources: { requests: { cpu: '1', memory: '1Gi' } },
    expireAfter: '720h',
    ...over.spec,
  },
  ...(over.status ? { status: over.status } : {}),
});
