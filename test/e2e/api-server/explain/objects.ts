import type { Instance } from '@aws-sdk/client-ec2';
import { NODEPOOL_HASH_VERSION, NODEPOOL_HASH_VERSION_ANNOTATION } from '../../../../shared/model/labels.ts';
import { providerIdOf } from '../../lab/aws/run-instance.ts';
import { conditionOf } from '../samples.ts';

/** The objects of the cluster that the questions are about. Each question has a NodePool of its own. */

export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const TYPE_LABEL = 'node.kubernetes.io/instance-type';
const POOL_LABEL = 'karpenter.sh/nodepool';
export const NODE_CLASS = 'default';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const toInstant = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

const oneOf = (key: string, ...values: readonly string[]) => ({ key, operator: 'In', values });
const inZones = (...zones: readonly string[]) => oneOf(ZONE_LABEL, ...zones);
const ofTypes = (...types: readonly string[]) => oneOf(TYPE_LABEL, ...types);
const AS_IN_MOST_POOLS = [
  oneOf('kubernetes.io/arch', 'amd64'),
  oneOf('karpenter.k8s.aws/instance-category', 'c', 'm', 'r'),
];
const ANY_M5 = oneOf('karpenter.k8s.aws/instance-family', 'm5');

interface PoolParts {
  readonly requirements?: readonly object[];
  readonly taints?: readonly object[];
  readonly limits?: object;
  readonly disruption?: object;
}

const pool = (name: string, { requirements = [ANY_M5], ...parts }: PoolParts = {}): object => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: NODE_CLASS },
        requirements: [...requirements, oneOf('karpenter.sh/capacity-type', 'on-demand')],
        ...(parts.taints && { taints: parts.taints }),
      },
    },
    ...(parts.limits && { limits: parts.limits }),
    disruption: {
      ...{ consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
      ...{ budgets: [{ nodes: '100%' }], ...parts.disruption },
    },
  },
});

/** A budget that is closed from a full hour in the past for eight hours, in UTC. */
const closedHours = (now: number) => ({
  ...{ nodes: '0', duration: '8h' },
  schedule: `0 ${new Date(now - HOUR_MS).getUTCHours()} * * *`,
});

export const closedUntil = (now: number): string =>
  new Date((Math.floor((now - HOUR_MS) / HOUR_MS) + 8) * HOUR_MS).toISOString().replace('.000', '');

export const buildPools = (now: number): readonly object[] => [
  pool('too-large', {
    requirements: [{ key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['9'] }, ANY_M5],
  }),
  pool('taint', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] }),
  pool('affinity'),
  pool('zone', { requirements: [inZones(ZONES[0]), ANY_M5] }),
  pool('limit', { limits: { cpu: '1' } }),
  pool('spread', { requirements: [inZones(ZONES[0], ZONES[1]), ANY_M5] }),
  pool('volume-zone', { requirements: [inZones(ZONES[0], ZONES[1]), ANY_M5] }),
  pool('no-capacity', { requirements: [ofTypes('m5.large'), ...AS_IN_MOST_POOLS] }),
  pool('pdb'),
  pool('do-not-disrupt'),
  pool('budget-closed', { disruption: { budgets: [closedHours(now)] } }),
  pool('window', { disruption: { budgets: [{ nodes: '0' }] } }),
  pool('drift-waiting'),
  pool('not-cheaper', { requirements: [ofTypes('c5.large')] }),
  pool('too-young', { disruption: { consolidateAfter: '2h' } }),
];

export const nodeClass = (discovery: Readonly<Record<string, string>>): object => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: NODE_CLASS },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: 'node',
    subnetSelectorTerms: [{ tags: discovery }],
    securityGroupSelectorTerms: [{ tags: discovery }],
  },
});

const template = (name: string, cpu: string, memory: string, spec: object = {}) => ({
  metadata: { labels: { app: name } },
  spec: {
    containers: [{ name: 'main', image: 'main', resources: { requests: { cpu, memory } } }],
    ...spec,
  },
});

/** A Deployment with one pod, which no existing node may take. */
function waitingDeployment(name: string, spec: object = {}, cpu = '1'): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: template(name, cpu, '1Gi', { nodeSelector: { [POOL_LABEL]: name }, ...spec }),
    },
  };
}

const labelled = (app: string) => ({ matchLabels: { app } });

export const WAITING: readonly object[] = [
  waitingDeployment('too-large', {}, '12'),
  waitingDeployment('taint'),
  waitingDeployment('affinity', {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: ZONE_LABEL, labelSelector: labelled('db') }],
      },
    },
  }),
  waitingDeployment('zone', { nodeSelector: { [POOL_LABEL]: 'zone', [ZONE_LABEL]: ZONES[1] } }),
  waitingDeployment('limit'),
  waitingDeployment('spread', {
    topologySpreadConstraints: [
      {
        ...{ maxSkew: 1, topologyKey: ZONE_LABEL, minDomains: 3 },
        ...{ whenUnsatisfiable: 'DoNotSchedule', labelSelector: labelled('spread') },
        // The pods that run are on nodes of other pools.
        nodeAffinityPolicy: 'Ignore',
      },
    ],
  }),
  waitingDeployment('volume-zone', {
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  }),
  waitingDeployment('no-capacity'),
];

export const STORAGE: readonly object[] = [
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'zonal' },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv-data' },
    spec: {
      ...{ capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'] },
      ...{ storageClassName: 'zonal', csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } },
      claimRef: { namespace: 'default', name: 'data' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [inZones(ZONES[2])] }],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'data' },
    spec: {
      ...{ accessModes: ['ReadWriteOnce'], storageClassName: 'zonal', volumeName: 'pv-data' },
      resources: { requests: { storage: '10Gi' } },
    },
  },
];

export const GUARD_BUDGET: object = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'default', name: 'guard' },
  spec: { minAvailable: 1, selector: labelled('guard') },
};

/** A pod that runs, written as bound. */
export interface RunningPod {
  readonly name: string;
  readonly app: string;
  readonly cpu: string;
  readonly node: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The nodes of a managed node group, one for each zone, with room for the pods of other nodes. */
export const GROUP_NODES = ZONES.map((zone) => `workers-${zone.at(-1)}`);

/** Nodes of NodePools: the name of the pool is also that of the node and of the NodeClaim. */
export const OWN_NODES = {
  pdb: 'm5.xlarge',
  'do-not-disrupt': 'm5.xlarge',
  'budget-closed': 'm5.xlarge',
  window: 'm5.xlarge',
  'drift-waiting': 'm5.xlarge',
  'not-cheaper': 'c5.large',
  'too-young': 'm5.xlarge',
} as const;

export const RUNNING_PODS: readonly RunningPod[] = [
  ...GROUP_NODES.map((node, index) => ({ name: `db-${index}`, app: 'db', cpu: '100m', node })),
  { name: 'spread-0', app: 'spread', cpu: '100m', node: GROUP_NODES[0] ?? '' },
  { name: 'spread-1', app: 'spread', cpu: '100m', node: GROUP_NODES[1] ?? '' },
  ...(['pdb', 'budget-closed', 'window', 'too-young'] as const).map((node) => ({
    name: `mover-${node}`,
    app: 'mover',
    cpu: '500m',
    node,
  })),
  { name: 'guard', app: 'guard', cpu: '100m', node: 'pdb' },
  {
    ...{ name: 'kept', app: 'kept', cpu: '500m', node: 'do-not-disrupt' },
    annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
  },
  // These two fit no node of another NodePool.
  { name: 'resident-0', app: 'resident', cpu: '1500m', node: 'not-cheaper' },
  { name: 'resident-1', app: 'resident', cpu: '3', node: 'drift-waiting' },
];

export const runningPod = ({ name, app, cpu, node, annotations = {} }: RunningPod): object => {
  const { spec } = template(app, cpu, '512Mi', {
    nodeName: node,
    ...(app === 'resident' && { nodeSelector: { [POOL_LABEL]: node } }),
  });
  const metadata = { namespace: 'default', name, labels: { app }, annotations };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
};

/** @param since - when it was scheduled, and started */
export const runningStatus = (since: number): object => ({
  phase: 'Running',
  startTime: toInstant(since),
  conditions: ['PodScheduled', 'Ready'].map((type) => ({
    ...{ type, status: 'True', lastTransitionTime: toInstant(since) },
  })),
});

const baseLabels = (name: string, zone: string, type: string) => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'topology.kubernetes.io/region': 'us-east-1',
  [ZONE_LABEL]: zone,
  [TYPE_LABEL]: type,
});

export const groupNode = (name: string, index: number): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: {
      ...baseLabels(name, ZONES[index] ?? '', 'm5.2xlarge'),
      'eks.amazonaws.com/nodegroup': 'workers',
      'eks.amazonaws.com/capacityType': 'ON_DEMAND',
    },
  },
  spec: { providerID: `aws:///${ZONES[index]}/i-00000000000000${100 + index}` },
});

export const tagsOf = (name: string, cluster: string) => ({
  ...poolLabels(name),
  'karpenter.sh/nodeclaim': name,
  'eks:eks-cluster-name': cluster,
  [`kubernetes.io/cluster/${cluster}`]: 'owned',
});

const poolLabels = (name: string) => ({
  [POOL_LABEL]: name,
  'karpenter.k8s.aws/ec2nodeclass': NODE_CLASS,
  'karpenter.sh/capacity-type': 'on-demand',
});

const zoneOf = ({ Placement }: Instance): string => Placement?.AvailabilityZone ?? '';

export const ownNode = (name: keyof typeof OWN_NODES, instance: Instance): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: {
      ...baseLabels(name, zoneOf(instance), OWN_NODES[name]),
      ...poolLabels(name),
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    },
  },
  spec: { providerID: providerIdOf(instance) },
});

export const ownClaim = (name: keyof typeof OWN_NODES, instance: Instance): object => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    name,
    labels: {
      ...poolLabels(name),
      [TYPE_LABEL]: OWN_NODES[name],
      [ZONE_LABEL]: zoneOf(instance),
    },
    ...(name === 'drift-waiting' && {
      annotations: {
        'karpenter.sh/nodepool-hash': '1234567890123456789',
        [NODEPOOL_HASH_VERSION_ANNOTATION]: NODEPOOL_HASH_VERSION,
      },
    }),
  },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: NODE_CLASS },
    requirements: [ofTypes(OWN_NODES[name])],
    // An age would end the node.
    expireAfter: 'Never',
  },
});

export const claimStatus = (name: string, instance: Instance, now: number): object => ({
  nodeName: name,
  providerID: providerIdOf(instance),
  conditions: ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => ({
    ...conditionOf(type, 'True'),
    lastTransitionTime: toInstant(now - HOUR_MS),
  })),
  lastPodEventTime: toInstant(now - MINUTE_MS),
});

const SIZES: Readonly<Record<string, readonly [cpu: number, gib: number]>> = {
  'c5.large': [2, 4],
  'm5.xlarge': [4, 16],
  'm5.2xlarge': [8, 32],
};

/** The kubelet's report for a node of this type. */
export function nodeStatus(type: string): object {
  const [cpu, gib] = SIZES[type] ?? [0, 0];
  const other = { pods: '29', 'ephemeral-storage': '17Gi' };
  return {
    capacity: { cpu: `${cpu}`, memory: `${gib}Gi`, ...other },
    allocatable: { cpu: `${cpu * 1000 - 80}m`, memory: `${gib - 1}Gi`, ...other },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
  };
}
