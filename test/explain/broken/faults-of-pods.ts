import { type BrokenCluster, DEPLOYMENT, type Fault, NAMESPACE } from './broken-cluster.ts';
import { inZones, withNodeSpec, withPodSpec } from './edits.ts';

import { asList, asObject, getIn, type JsonObject, mergeObject } from './json.ts';
import { ARCH, CAPACITY_TYPE, INSTANCE, ZONE, ZONES } from './working-cluster.ts';

const select = (cluster: BrokenCluster, nodeSelector: JsonObject): BrokenCluster =>
  withPodSpec(cluster, { nodeSelector });

const requireNode = (cluster: BrokenCluster, ...matchExpressions: readonly JsonObject[]): BrokenCluster =>
  withPodSpec(cluster, {
    nodeSelector: null,
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });

function request(cluster: BrokenCluster, requests: JsonObject): BrokenCluster {
  const [container] = asList(getIn(cluster.template, 'spec', 'containers')).map(asObject);
  const limits = Object.fromEntries(Object.entries(requests).filter(([resource]) => resource.includes('/')));
  return withPodSpec(cluster, { containers: [mergeObject(container ?? {}, { resources: { requests, limits } })] });
}

const spread = (cluster: BrokenCluster, constraint: JsonObject): BrokenCluster =>
  withPodSpec(cluster, {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: OWN_PODS, ...constraint },
    ],
  });

const OWN_PODS: JsonObject = { matchLabels: { app: DEPLOYMENT } };

const mount = (cluster: BrokenCluster, storage: Partial<BrokenCluster['storage']>): BrokenCluster => ({
  ...withPodSpec(cluster, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }),
  storage: { ...cluster.storage, ...storage },
});

const STORAGE_CLASS: JsonObject = {
  metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'ebs.csi.aws.com',
  volumeBindingMode: 'WaitForFirstConsumer',
};
const aClaim = (spec: JsonObject, phase: 'Pending' | 'Bound' = 'Pending'): JsonObject => ({
  metadata: { name: 'data', namespace: NAMESPACE, ...(phase === 'Bound' && { annotations: BOUND }) },
  spec,
  status: { phase },
});
const BOUND: JsonObject = { 'pv.kubernetes.io/bind-completed': 'yes' };
const aVolume = (zone: string): JsonObject => ({
  metadata: { name: 'pv-1' },
  spec: {
    csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] },
    },
  },
});

/** Nodes that no NodePool launched hold the pods that rules of the Deployment look at. */
const withRunningPod = (cluster: BrokenCluster, zone: string, labels: JsonObject): BrokenCluster => {
  const name = `managed-${cluster.nodes.length}`;
  return {
    ...cluster,
    nodes: [
      ...cluster.nodes,
      {
        metadata: { name, labels: { [ZONE]: zone, 'kubernetes.io/hostname': name, [ARCH]: 'amd64' } },
        spec: { providerID: `aws:///${zone}/${name}`, taints: [{ key: 'managed', effect: 'NoSchedule' }] },
        status: {
          capacity: { cpu: '2', memory: '4Gi', pods: '20' },
          allocatable: { cpu: '2', memory: '4Gi', pods: '20' },
          conditions: [{ type: 'Ready', status: 'True' }],
        },
      },
    ],
    boundPods: [
      ...cluster.boundPods,
      {
        metadata: { name: `${name}-pod`, namespace: NAMESPACE, labels },
        spec: { nodeName: name, containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }] },
      },
    ],
  };
};

export const POD_FAULTS: Readonly<Record<string, Fault>> = {
  'selector: misspelt zone': (cluster, { pick }) =>
    select(cluster, { [ZONE]: pick(['us-east-1A', 'us-east1a', 'useast-1b']) }),
  'selector: misspelt capacity type': (cluster, { pick }) =>
    select(cluster, { [CAPACITY_TYPE]: pick(['on_demand', 'ondemand', 'OnDemand']) }),
  'selector: misspelt NodePool': (cluster, { pick }) =>
    select(cluster, { 'karpenter.sh/nodepool': pick(['generall', 'genral', 'General']) }),
  'selector: misspelt label': (cluster, { pick }) => {
    const [key, value] = pick([
      [`${INSTANCE}-familly`, 'm6a'],
      ['topology.kubernetes.io/zones', ZONES[0]],
      ['karpenter.sh/capacitytype', 'on-demand'],
    ] as const);
    return select(cluster, { [key]: value });
  },
  'selector: misspelt value of a label of users': (cluster, { pick }) =>
    select(cluster, pick([{ team: 'shopp' }, { tier: 'fronted' }, { tier: 'front-end' }])),
  'selector: label that no NodePool has': (cluster, { pick }) =>
    select(cluster, pick([{ 'example.com/owner': 'payments' }, { stage: 'production' }])),
  'selector: type that the NodePool excludes': (cluster, { pick }) =>
    select(cluster, { 'node.kubernetes.io/instance-type': pick(['i4i.xlarge', 'm5d.large', 'm7i-flex.2xlarge']) }),
  'selector: other architecture': (cluster, { pick }) =>
    select(cluster, { [ARCH]: pick(['arm64', 'amd64']), [ZONE]: null }),
  'affinity: family that the NodePool excludes': (cluster, { pick }) =>
    requireNode(cluster, { key: `${INSTANCE}-family`, operator: 'In', values: [pick(['i4i', 'm5d', 'm7i-flex'])] }),
  'affinity: more CPUs than the NodePool allows': (cluster, { pick }) =>
    requireNode(cluster, { key: `${INSTANCE}-cpu`, operator: 'Gt', values: [pick(['16', '32', '47'])] }),
  'affinity: not in the zones of the NodePool': (cluster) =>
    requireNode(cluster, { key: ZONE, operator: 'NotIn', values: ZONES.slice(0, 2) }),
  'affinity: size that the NodePool excludes': (cluster, { pick }) =>
    requireNode(cluster, {
      key: `${INSTANCE}-size`,
      operator: 'In',
      values: [pick(['metal', '24xlarge', '12xlarge'])],
    }),
  'toleration: another value': (cluster) => {
    const taints = [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }];
    const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'webb', effect: 'NoSchedule' }];
    return withPodSpec(withNodeSpec(cluster, { taints }), { tolerations });
  },
  'request: too much CPU': (cluster, { pick }) => request(cluster, { cpu: pick(['20', '34', '60', '80']) }),
  'request: too much memory': (cluster, { pick }) => request(cluster, { memory: pick(['150Gi', '300Gi', '500Gi']) }),
  'request: too much ephemeral storage': (cluster, { pick }) =>
    request(cluster, { 'ephemeral-storage': pick(['30Gi', '100Gi', '300Gi']) }),
  'request: GPU': (cluster, { pick }) => request(cluster, { 'nvidia.com/gpu': pick(['1', '4']) }),
  'request: misspelt resource': (cluster, { pick }) =>
    request(cluster, { [pick(['nvidia.com/gpus', 'nvidia/gpu'])]: '1' }),
  'spread: more domains than zones': (cluster) => spread(inTwoZones(cluster), { minDomains: 3 }),
  'spread: misspelt topology key': (cluster, { pick }) =>
    spread(cluster, { topologyKey: pick(['topology.kubernetes.io/zones', 'topology.kubernetes.io/zon']) }),
  'spread: a full zone waits for another': (cluster) =>
    spread(withRunningPod(withRunningPod(inTwoZones(cluster), ZONES[0], OWN_LABELS), ZONES[1], OWN_LABELS), {
      minDomains: 3,
    }),
  'anti-affinity: more pods than zones': (cluster) =>
    withPodSpec(
      { ...cluster, replicas: 4 },
      { nodeSelector: null, affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [TERM] } } },
    ),
  'affinity: misspelt label of pods': (cluster) =>
    withPodSpec(withRunningPod(cluster, ZONES[0], { app: 'cache' }), {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'cahe' } } },
          ],
        },
      },
    }),
  'volume: zone that the NodePool excludes': (cluster) =>
    mount(inTwoZones({ ...cluster, replicas: 1 }), {
      persistentVolumeClaims: [aClaim({ storageClassName: 'gp3', volumeName: 'pv-1' }, 'Bound')],
      persistentVolumes: [aVolume(ZONES[2])],
      storageClasses: [STORAGE_CLASS],
    }),
  'volume: missing claim': (cluster) => mount({ ...cluster, replicas: 1 }, { storageClasses: [STORAGE_CLASS] }),
  'volume: misspelt StorageClass': (cluster) =>
    mount(
      { ...cluster, replicas: 1 },
      { storageClasses: [STORAGE_CLASS], persistentVolumeClaims: [aClaim({ storageClassName: 'gp33' })] },
    ),
  'gate: a controller holds it back': (cluster) =>
    withPodSpec(cluster, { schedulingGates: [{ name: 'example.com/quota' }] }),
  'opt-out: no NodePool is wanted': (cluster) =>
    requireNode(cluster, { key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' }),
};

const OWN_LABELS: JsonObject = { app: DEPLOYMENT };
const TERM: JsonObject = { topologyKey: ZONE, labelSelector: OWN_PODS };

const inTwoZones = (cluster: BrokenCluster): BrokenCluster => inZones(cluster, ZONES.slice(0, 2));
