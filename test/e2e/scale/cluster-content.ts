/** A cluster of a size: its objects as the API server sends them, with everything that it adds. */
export interface ClusterSize {
  readonly nodes: number;
  readonly podsPerNode: number;
}

/** Each has a budget. */
export const DEPLOYMENTS = 400;
const NAMESPACES = 40;
const AT = '2026-01-01T12:00:00Z';
const TYPES = ['m7g.2xlarge', 'c7g.2xlarge', 'r7g.2xlarge', 'm6i.2xlarge'];
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

export const nodeName = (index: number): string => `ip-10-${index >> 8}-${index & 255}.ec2.internal`;
export const providerIdOf = (index: number): string =>
  `aws:///${ZONES[index % 3]}/i-${index.toString(16).padStart(17, '0')}`;

/** The manager of each field, which server-side apply records: a third of an object. */
const managedFields = (fields: number): object[] => [
  {
    manager: 'kube-controller-manager',
    operation: 'Update',
    apiVersion: 'v1',
    time: AT,
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(
      Array.from({ length: fields }, (_, index) => [`f:field-${index}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
    ),
  },
];

/** About 5.5 kB, as in a cluster with sidecars, probes and environment variables. */
export function podAt(index: number, { nodes }: ClusterSize, version: number): object {
  const app = `app-${index % DEPLOYMENTS}`;
  const cpu = `${50 + (index % DEPLOYMENTS) * 5}m`;
  return {
    metadata: {
      name: `${app}-7d9c5b8f6d-${index.toString(36).padStart(5, '0')}`,
      generateName: `${app}-7d9c5b8f6d-`,
      namespace: `team-${index % NAMESPACES}`,
      uid: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
      resourceVersion: `${version}`,
      creationTimestamp: AT,
      labels: { app, 'pod-template-hash': '7d9c5b8f6d', team: `team-${index % NAMESPACES}` },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9090' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-7d9c5b8f6d`,
          uid: `rs-${index % DEPLOYMENTS}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields(28),
    },
    spec: {
      nodeName: nodeName(index % nodes),
      schedulerName: 'default-scheduler',
      serviceAccountName: 'default',
      priority: 0,
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
      ],
      volumes: [{ name: `kube-api-access-${index}`, projected: { sources: [] } }],
      containers: [
        {
          name: 'main',
          image: `registry.example.com/${app}:1.0.${index % 9}`,
          env: Array.from({ length: 12 }, (_, at) => ({
            name: `VARIABLE_${at}`,
            value: `${app}-${at}`,
          })),
          resources: { requests: { cpu, memory: '256Mi' }, limits: { memory: '512Mi' } },
          livenessProbe: { httpGet: { path: '/live', port: 8080 }, periodSeconds: 10 },
          readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 10 },
          volumeMounts: [{ name: `kube-api-access-${index}`, mountPath: '/var/run/secrets' }],
        },
      ],
    },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      hostIP: '10.0.0.1',
      qosClass: 'Burstable',
      startTime: AT,
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: AT }),
      ),
      containerStatuses: [
        {
          name: 'main',
          ready: true,
          restartCount: 0,
          image: `registry.example.com/${app}:1.0.${index % 9}`,
          imageID: `registry.example.com/${app}@sha256:${'0'.repeat(64)}`,
          containerID: `containerd://${index.toString(16).padStart(64, '0')}`,
          state: { running: { startedAt: AT } },
          allocatedResources: { cpu, memory: '256Mi' },
          resources: { requests: { cpu, memory: '256Mi' } },
        },
      ],
    },
  };
}

/** The budget of a Deployment whose pods are ready, about 2 kB. */
export const budgetAt = (index: number, { nodes, podsPerNode }: ClusterSize): object => {
  const pods = Math.ceil((nodes * podsPerNode) / DEPLOYMENTS);
  return {
    metadata: {
      name: `app-${index}`,
      namespace: `team-${index % NAMESPACES}`,
      uid: `pdb-${index}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: AT,
      managedFields: managedFields(12),
    },
    spec: { maxUnavailable: '10%', selector: { matchLabels: { app: `app-${index}` } } },
    status: {
      ...{ observedGeneration: 1, disruptionsAllowed: Math.floor(pods / 10) },
      ...{ currentHealthy: pods, desiredHealthy: Math.ceil(pods * 0.9), expectedPods: pods },
      conditions: [
        {
          ...{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' },
          ...{ message: '', observedGeneration: 1, lastTransitionTime: AT },
        },
      ],
    },
  };
};

/** About 10 kB, a third of it the list of images. */
export const nodeAt = (index: number, version: number): object => ({
  metadata: {
    name: nodeName(index),
    uid: `node-${index}`,
    resourceVersion: `${version}`,
    creationTimestamp: AT,
    finalizers: ['karpenter.sh/termination'],
    labels: {
      'kubernetes.io/hostname': nodeName(index),
      'kubernetes.io/arch': 'arm64',
      'kubernetes.io/os': 'linux',
      'karpenter.sh/nodepool': 'general',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
      'karpenter.sh/capacity-type': 'spot',
      'node.kubernetes.io/instance-type': TYPES[index % 4],
      'topology.kubernetes.io/zone': ZONES[index % 3],
    },
    managedFields: managedFields(40),
  },
  spec: { providerID: providerIdOf(index) },
  status: {
    capacity: { cpu: '8', memory: '32Gi', pods: '58', 'ephemeral-storage': '20Gi' },
    allocatable: { cpu: '7910m', memory: '31Gi', pods: '58', 'ephemeral-storage': '18Gi' },
    conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
      type,
      status: type === 'Ready' ? 'True' : 'False',
      lastHeartbeatTime: AT,
      lastTransitionTime: AT,
    })),
    images: Array.from({ length: 30 }, (_, at) => ({
      names: [`registry.example.com/image-${at}@sha256:${'0'.repeat(64)}`],
      sizeBytes: 100_000_000 + at,
    })),
  },
});

/** A pool whose class is ready, so that its claims are ours. */
export const POOL = {
  metadata: { name: 'general', uid: 'pool', resourceVersion: '1', creationTimestamp: AT },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
      },
    },
  },
};
