import type { NotReady } from '../../../shared/model/nodes/node-class.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { type BrokenCluster, type Fault, NOW } from './broken-cluster.ts';
import { listRequirements, withNodeSpec, withPodSpec, withPoolSpec, withRequirements } from './edits.ts';

import type { JsonObject } from './json.ts';
import { ARCH, CAPACITY_TYPE, INSTANCE, ZONE, ZONES } from './working-cluster.ts';

const withClass = (cluster: BrokenCluster, nodeClass: BrokenCluster['nodeClass']): BrokenCluster => ({
  ...cluster,
  nodeClass: { ...cluster.nodeClass, ...nodeClass },
});

const notReady = (cluster: BrokenCluster, condition: string, message: string): BrokenCluster =>
  withClass(cluster, { notReady: { condition, message } satisfies NotReady });

const isIn = (key: string, ...values: readonly string[]): JsonObject => ({ key, operator: 'In', values });

const aDaemonSet = (name: string, requests: JsonObject): JsonObject => ({
  metadata: { name, namespace: 'kube-system' },
  spec: {
    template: {
      metadata: { labels: { app: name } },
      spec: { tolerations: [{ operator: 'Exists' }], containers: [{ name, resources: { requests } }] },
    },
  },
});

export const POOL_FAULTS: Readonly<Record<string, Fault>> = {
  'limit: CPU': (cluster, { pick }) => withPoolSpec(cluster, { limits: { cpu: pick(['0', '1']), memory: null } }),
  'limit: memory': (cluster, { pick }) =>
    withPoolSpec(cluster, { limits: { memory: pick(['1Gi', '512Mi']), cpu: null } }),
  'limit: nodes': (cluster) => withPoolSpec(cluster, { limits: { nodes: '0' } }),
  'limit: CPU and memory': (cluster) => withPoolSpec(cluster, { limits: { cpu: '1', memory: '1Gi' } }),
  'taint: not tolerated': (cluster, { pick }) =>
    withNodeSpec(cluster, {
      taints: [
        pick([
          { key: 'dedicated', value: 'search', effect: 'NoSchedule' },
          { key: 'example.com/reserved', effect: 'NoExecute' },
        ]),
      ],
    }),
  'taint: of a device': (cluster) =>
    withNodeSpec(cluster, { taints: [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }] }),
  'requirement: other architecture than the pods': (cluster) => {
    const isArm = listRequirements(cluster).some(({ key, values }) => key === ARCH && `${values}` === 'arm64');
    const [own, other] = isArm ? ['arm64', 'amd64'] : ['amd64', 'arm64'];
    const categories = isIn(`${INSTANCE}-category`, 'c', 'm', 'r');
    const anyFamily = { ...cluster, pool: withoutTypes(cluster).pool };
    return withPodSpec(withRequirements(anyFamily, isIn(ARCH, other), categories), { nodeSelector: { [ARCH]: own } });
  },
  'requirement: operating system without types': (cluster) =>
    withRequirements(cluster, isIn('kubernetes.io/os', 'windows')),
  'requirement: other zone than the pods': (cluster) =>
    withPodSpec(withRequirements(cluster, isIn(ZONE, ZONES[1])), { nodeSelector: { [ZONE]: ZONES[2] } }),
  'requirement: misspelt family': (cluster, { pick }) =>
    withRequirements(cluster, isIn(`${INSTANCE}-family`, pick(['m6aa', 'c6-a', 'r55', 'M5']))),
  'requirement: misspelt size': (cluster, { pick }) =>
    withRequirements(cluster, isIn(`${INSTANCE}-size`, pick(['x-large', '2xlrge', '4xl']))),
  'requirement: misspelt capacity type': (cluster) => withRequirements(cluster, isIn(CAPACITY_TYPE, 'ondemand')),
  'requirement: types too small': (cluster) =>
    withPodSpec(withRequirements(cluster, { key: `${INSTANCE}-cpu`, operator: 'Lt', values: ['2'] }), {}),
  'requirement: memory in bytes': (cluster) =>
    withRequirements(cluster, { key: `${INSTANCE}-memory`, operator: 'Gt', values: ['8589934592'] }),
  'requirement: empty range of CPUs': (cluster) =>
    withRequirements(
      cluster,
      { key: `${INSTANCE}-cpu`, operator: 'Gt', values: ['16'] },
      { key: `${INSTANCE}-cpu`, operator: 'Lt', values: ['9'] },
    ),
  'requirement: capacity type that the pods exclude': (cluster) =>
    withPodSpec(withRequirements(cluster, isIn(CAPACITY_TYPE, 'spot')), {
      nodeSelector: { [CAPACITY_TYPE]: 'on-demand' },
    }),
  'requirement: GPU that the NodePool excludes': (cluster) => {
    const devices = withRequirements(
      { ...cluster, pool: withoutTypes(cluster).pool },
      isIn(ARCH, 'amd64'),
      isIn(`${INSTANCE}-gpu-name`, 't4'),
    );
    return withPodSpec(devices, { nodeSelector: { [`${INSTANCE}-gpu-name`]: 'a10g' } });
  },
  'requirement: minValues too high': (cluster, { pick }) =>
    withRequirements(
      cluster,
      { key: `${INSTANCE}-family`, operator: 'Exists', minValues: pick([30, 50]) },
      isIn(ARCH, 'amd64'),
    ),
  'label: missing from the NodePool': (cluster) =>
    withPodSpec(withPoolSpec(cluster, { template: { metadata: { labels: { team: null } } } }), {
      nodeSelector: { team: 'shop' },
    }),
  'hours: the NodePool is off': (cluster) => ({
    ...cluster,
    hours: { windows: [{ schedule: '0 18 * * *', durationMs: 4 * HOUR_MS }], offHoursNodes: 0 },
  }),
  'class: no subnets': (cluster) => notReady(cluster, 'SubnetsNotFound', 'SubnetSelector did not match any Subnets'),
  'class: no security groups': (cluster) =>
    notReady(cluster, 'SecurityGroupsNotFound', 'SecurityGroupSelector did not match any SecurityGroups'),
  'class: no images': (cluster) => notReady(cluster, 'AMINotFound', 'AMISelector did not match any AMIs'),
  'class: does not exist': (cluster) => notReady(cluster, 'NodeClassNotFound', 'there is no EC2NodeClass default'),
  'class: no subnet in the zone of the pods': (cluster) =>
    withPodSpec(withClass(withRequirements(cluster, isIn(ZONE, ...ZONES)), { zones: [ZONES[0]] }), {
      nodeSelector: { [ZONE]: ZONES[1] },
    }),
  'class: subnets without addresses': (cluster) =>
    withPodSpec(
      withClass(withRequirements(cluster, isIn(ZONE, ...ZONES)), { zones: [ZONES[0]], fullZones: [ZONES[1]] }),
      {
        nodeSelector: { [ZONE]: ZONES[1] },
      },
    ),
  'class: maxPods too low': (cluster) => ({
    ...withClass(cluster, { maxPods: 2 }),
    daemonSets: [aDaemonSet('agent', { cpu: '10m' }), aDaemonSet('proxy', { cpu: '10m' })],
  }),
  'daemons: take too much': (cluster) => ({
    ...cluster,
    daemonSets: [aDaemonSet('agent', { cpu: '14', memory: '60Gi' })],
  }),
  'capacity: none in the zone of the pods': (cluster) => ({
    ...withPodSpec(cluster, { nodeSelector: { [ZONE]: ZONES[0] } }),
    unavailable: [{ zone: ZONES[0], until: NOW + 5 * MINUTE_MS }],
  }),
  'capacity: none of a type': (cluster) => {
    const typed = withRequirements(
      { ...cluster, pool: withoutTypes(cluster).pool },
      isIn('node.kubernetes.io/instance-type', 'm5.xlarge', 'm6g.xlarge'),
    );
    const unavailable = ['m5.xlarge', 'm6g.xlarge'].map((instanceType) => ({
      instanceType,
      until: NOW + 3 * MINUTE_MS,
    }));
    return { ...typed, unavailable };
  },
};

/** Leaves out what names types, so that a fault can name its own. */
const withoutTypes = (cluster: BrokenCluster): BrokenCluster =>
  withNodeSpec(cluster, {
    requirements: listRequirements(cluster).filter(({ key }) => !`${key}`.startsWith(INSTANCE)),
  });
