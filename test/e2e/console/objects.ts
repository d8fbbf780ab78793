/** The objects of a cluster that Cluster Autoscaler scales, and those that Karpenter adds. */

const ZONE = 'us-east-1a';

/** A Node of an EKS managed node group. */
export const groupNode = (name: string, index: number): object =>
  node(name, index, {
    'eks.amazonaws.com/nodegroup': 'workers',
    'eks.amazonaws.com/capacityType': 'ON_DEMAND',
    'node.kubernetes.io/instance-type': 'm6i.2xlarge',
  });

/** A Node that Karpenter launched for a NodeClaim. */
export const claimedNode = (name: string, index: number): object =>
  node(name, index, {
    'karpenter.sh/nodepool': 'general',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'karpenter.sh/capacity-type': 'spot',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'node.kubernetes.io/instance-type': 'm7i.2xlarge',
  });

const providerIdOf = (index: number): string => `aws:///${ZONE}/i-0000000000000${100 + index}`;

function node(name: string, index: number, labels: Readonly<Record<string, string>>): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'us-east-1',
        'topology.kubernetes.io/zone': ZONE,
        ...labels,
      },
    },
    spec: { providerID: providerIdOf(index) },
  };
}

export const NODE_STATUS = {
  status: {
    capacity: { cpu: '8', memory: '32Gi', pods: '58', 'ephemeral-storage': '80Gi' },
    allocatable: { cpu: '7910m', memory: '30Gi', pods: '58', 'ephemeral-storage': '70Gi' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
  },
};

/** @param nodeName - undefined leaves the pod to kube-scheduler */
export const pod = (name: string, cpu: string, nodeName?: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name, labels: { app: name.replace(/-\d+$/, '') } },
  spec: {
    ...(nodeName !== undefined && { nodeName }),
    containers: [{ name: 'main', image: 'main', resources: { requests: { cpu, memory: '1Gi' } } }],
  },
});

export const RUNNING = {
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      {
        ...{ name: 'main', image: 'main', imageID: '', ready: true, restartCount: 0 },
        state: { running: { startedAt: '2026-11-22T08:00:00Z' } },
      },
    ],
  },
};

export const NODE_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: 'node',
    subnetSelectorTerms: [{ tags: { team: 'shop' } }],
    securityGroupSelectorTerms: [{ tags: { team: 'shop' } }],
  },
};

export const NODE_CLASS_STATUS = {
  status: {
    subnets: ['a', 'b'].map((letter) => ({ id: `subnet-${letter}`, zone: `us-east-1${letter}` })),
    conditions: [
      {
        ...{ type: 'Ready', status: 'True', reason: 'Ready', message: '' },
        lastTransitionTime: '2026-11-22T08:00:00Z',
      },
    ],
  },
};

export const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'general' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m7i'] },
        ],
      },
    },
    limits: { cpu: '32' },
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '0s',
      budgets: [{ nodes: '100%' }],
    },
  },
};

export const nodeClaim = (name: string): object => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    name,
    labels: {
      'karpenter.sh/nodepool': 'general',
      'karpenter.sh/capacity-type': 'spot',
      'node.kubernetes.io/instance-type': 'm7i.2xlarge',
      'topology.kubernetes.io/zone': ZONE,
    },
  },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7i.2xlarge'] }],
  },
});

export function nodeClaimStatus(node: string, index: number): object {
  const lastTransitionTime = new Date(Date.now() - 600_000).toISOString().replace(/\.\d+/, '');
  const conditions = ['Launched', 'Registered', 'Initialized', 'Consolidatable', 'Ready'];
  return {
    status: {
      nodeName: node,
      providerID: providerIdOf(index),
      conditions: conditions.map((type) => ({
        ...{ type, status: 'True', reason: type, message: '', lastTransitionTime },
      })),
    },
  };
}

/** Reads everything that the console reads, and nothing else. */
export const READER_ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'console-reader' },
  rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
};

/** Reads pods and nodes only. */
export const LIMITED_ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'console-limited' },
  rules: [{ apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['list', 'watch'] }],
};

export const binding = (role: string, account: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: account },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: account }],
});
