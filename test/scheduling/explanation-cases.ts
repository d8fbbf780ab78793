import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { UnavailableOffering } from '../../shared/model/instance-type.ts';
import type { Pod } from '../../shared/model/pod.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { aDaemonSet, aNode, aPodSpec, aPodTemplate, NOON } from '../support/builders.ts';
import { aBoundClaim, aStorage, aStorageClass, aVolume } from '../support/storage.ts';
import {
  ARCH,
  aCluster,
  aPool,
  asking,
  CAPACITY,
  fakeType,
  GPU_A,
  HOSTNAME,
  mustBe,
  need,
  poolOf,
  several,
  spreadOver,
  TYPE,
  tiny,
  to,
  Z1,
  Z2,
  Z3,
  ZONE,
} from './fixture.ts';
import { provision } from './provision.ts';

/** What somebody meets who asks why a pod is pending. */
export interface ExplanationCase {
  readonly title: string;
  readonly cluster: ClusterSnapshot;
  readonly pods: readonly Pod[];
  /** How many pods wait, why each pool refuses them, why the closest node does, and what helps. */
  readonly says: readonly string[];
}

const general = aPool({ name: 'general' });
const TAINT = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } as const;
const web = (over = {}) => ({
  ...tiny('web-7c9-x', over, { app: 'web', 'pod-template-hash': '7c9' }),
  owner: { kind: 'ReplicaSet', name: 'web-7c9', uid: 'rs' },
});
const dry = (over: Partial<UnavailableOffering>): UnavailableOffering => ({
  ...over,
  until: NOON + 2 * MINUTE_MS,
});
const oneIn = (zone: string, name: string, labels = { app: 'web' }) =>
  tiny(name, { nodeSelector: { [ZONE]: zone }, requests: asking(1.5) }, labels);

const inZones = [Z1, Z2, Z3].map((zone, index) => oneIn(zone, `db-${index}`, { app: 'db' }));

export const CASES: readonly ExplanationCase[] = [
  {
    title: 'a limit is reached',
    says: [
      '1 of default/new-2',
      'general: cpu 20 of 20 in use; smallest fitting node default adds 4',
      'a node: needs 3500m cpu; 400m left',
      'raise limits.cpu of NodePool general to 24 (+$0.8295/h)',
    ],
    cluster: provision(
      aCluster({ pools: [{ ...general, limits: { cpu: 20_000 } }] }),
      ...several(4, 'old', { requests: asking(3.5), podAntiAffinity: [to('web', HOSTNAME)] }),
    ).after,
    pods: several(2, 'new', { requests: asking(3.5), podAntiAffinity: [to('web', HOSTNAME)] }),
  },
  {
    title: 'the limit on nodes is reached',
    says: [
      '1 of default/web-7c9-x',
      'general: nodes 0 of 0 in use; smallest fitting node (any type) adds 1',
      'raise limits.nodes of NodePool general to 1 (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, limits: { nodes: 0 } }] }),
    pods: [web()],
  },
  {
    title: 'a limit that this very plan reaches',
    says: [
      '2 of default/a-2',
      'general: cpu 2 of 3 in use; smallest fitting node small adds 2',
      'raise limits.cpu of NodePool general to 6 (+$0.8295/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, limits: { cpu: 3000 } }] }),
    pods: several(3, 'a', { requests: asking(1.5), podAntiAffinity: [to('web', HOSTNAME)] }),
  },
  {
    title: 'a type is out of capacity in the zone',
    says: [
      '1 of default/web-7c9-x',
      'general: default spot and on-demand test-zone-1 out of capacity until 2026-01-01T12:02:00Z',
      'set spec.template.spec.requirements[0].values of NodePool general to [default, small] (+$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [{ ...poolOf(need(TYPE, 'In', 'default')), name: 'general' }],
      unavailable: [
        dry({ instanceType: 'default', zone: Z1, capacityType: 'spot' }),
        dry({ instanceType: 'default', zone: Z1, capacityType: 'on-demand' }),
      ],
    }),
    pods: [web({ nodeSelector: { [ZONE]: Z1 } })],
  },
  {
    title: 'everything is out of capacity',
    says: [
      '1 of default/web-7c9-x',
      'general: default and 5 more types spot and on-demand test-zone-1, test-zone-2, test-zone-3 out of capacity until 2026-01-01T12:02:00Z',
      'wait: EC2 is asked again at 2026-01-01T12:02:00Z (+$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [general],
      unavailable: [dry({})],
    }),
    pods: [web()],
  },
  {
    title: 'a toleration is missing',
    says: [
      '1 of default/web-7c9-x',
      'general: taint dedicated=gpu:NoSchedule not tolerated',
      'let Deployment web tolerate dedicated=gpu:NoSchedule (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...general, taints: [TAINT] }] }),
    pods: [web()],
  },
  {
    title: 'every pool has a taint of its own',
    says: [
      '1 of default/web-7c9-x',
      'two: taint dedicated=two:NoSchedule not tolerated',
      'one: taint dedicated=one:NoSchedule not tolerated',
      'let Deployment web tolerate dedicated=two:NoSchedule (+$0.4147/h)',
    ],
    cluster: aCluster({
      pools: ['one', 'two'].map((name) => aPool({ name, taints: [{ ...TAINT, value: name }] })),
    }),
    pods: [web()],
  },
  {
    title: 'the zone is not one of the pool',
    says: [
      '1 of default/web-7c9-x',
      'general: pod needs topology.kubernetes.io/zone In [test-zone-3], pool gives In [test-zone-1, test-zone-2]',
      'set spec.template.spec.requirements[0].values of NodePool general to [test-zone-1, test-zone-2, test-zone-3] (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...poolOf(need(ZONE, 'In', Z1, Z2)), name: 'general' }] }),
    pods: [web({ nodeSelector: { [ZONE]: Z3 } })],
  },
  {
    title: 'the zone has no subnet',
    says: [
      '1 of default/web-7c9-x',
      'general: NodeClass default has no subnet in test-zone-3, only in test-zone-1, test-zone-2',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [general], zones: { general: [Z1, Z2] } }),
    pods: [web({ nodeSelector: { [ZONE]: Z3 } })],
  },
  {
    title: 'the subnets of the zone have no address left',
    says: [
      '1 of default/web-7c9-x',
      'general: subnets of NodeClass default in test-zone-3 have no free address left for a node',
      'no single change helps',
    ],
    cluster: aCluster({
      pools: [general],
      zones: { general: [Z1, Z2] },
      fullZones: { general: [Z3] },
    }),
    pods: [web({ nodeSelector: { [ZONE]: Z3 } })],
  },
  {
    title: 'no subnet of the class has an address left',
    says: [
      '1 of default/web-7c9-x',
      'general: subnets of NodeClass default in test-zone-1, test-zone-2 have no free address left for a node',
      'no single change helps',
    ],
    cluster: aCluster({
      pools: [general],
      instanceTypes: { general: [] },
      zones: { general: [] },
      fullZones: { general: [Z1, Z2] },
    }),
    pods: [web()],
  },
  {
    title: 'the volume is in a zone where the pool launches nothing',
    says: [
      '1 of default/web-7c9-x',
      'general: pod needs topology.kubernetes.io/zone In [test-zone-3] for its volumes, pool gives In [test-zone-1, test-zone-2]',
      'set spec.template.spec.requirements[0].values of NodePool general to [test-zone-1, test-zone-2, test-zone-3] (+$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [{ ...poolOf(need(ZONE, 'In', Z1, Z2)), name: 'general' }],
      storage: aStorage({
        classes: [aStorageClass()],
        claims: [aBoundClaim('data', 'pv-1')],
        volumes: [aVolume('pv-1', { nodeTerms: [[need(ZONE, 'In', Z3)]] })],
      }),
    }),
    pods: [web({ volumeClaims: ['data'] })],
  },
  {
    title: 'the volume claim does not exist',
    says: [
      '1 of default/web-7c9-x',
      'general: PVC default/data: not found',
      'create PersistentVolumeClaim default/data (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general], storage: aStorage({}) }),
    pods: [web({ volumeClaims: ['data'] })],
  },
  {
    title: 'no type of the pool has the GPU',
    says: [
      '1 of default/web-7c9-x',
      'general: no type meets 1 vendor-a/gpu; missing most: vendor-a/gpu',
      'set spec.template.spec.requirements[0].values of NodePool general to [small, default, gpu-a] (+$1.8295/h)',
    ],
    cluster: aCluster({
      pools: [{ ...poolOf(need(TYPE, 'In', 'small', 'default')), name: 'general' }],
    }),
    pods: [web({ requests: asking(1, 1, { [GPU_A]: 1 }) })],
  },
  {
    title: 'too few types for minValues',
    says: [
      '1 of default/web-7c9-x',
      'general: minValues of node.kubernetes.io/instance-type 2, 1 fit',
      'set spec.template.spec.requirements[0].minValues of NodePool general to 1 (+$0.8295/h)',
    ],
    cluster: aCluster({
      pools: [
        { ...poolOf({ ...need(TYPE, 'In', 'small', 'default'), minValues: 2 }), name: 'general' },
      ],
    }),
    pods: [web({ requests: asking(3) })],
  },
  {
    title: 'a requirement that leaves the pool no type',
    says: [
      '1 of default/web-7c9-x',
      'general: requirements leave none of 6 types',
      'drop spec.template.spec.requirements[0] of NodePool general: node.kubernetes.io/instance-type In [m99] (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [{ ...poolOf(need(TYPE, 'In', 'm99')), name: 'general' }] }),
    pods: [web()],
  },
  {
    title: 'a label that no pool gives its nodes',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label example.com/team',
      'add label example.com/team=red to spec.template.metadata.labels of NodePool general (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [web({ nodeSelector: { 'example.com/team': 'red' } })],
  },
  {
    title: 'the spread has no domain',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label example.com/rack',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [web({ topologySpread: [spreadOver('example.com/rack')] })],
  },
  {
    title: 'the spread wants the one zone that has no capacity',
    says: [
      '1 of default/web-7c9-x',
      'general: topology.kubernetes.io/zone: maxSkew 1, counts test-zone-1 1, test-zone-2 1, test-zone-3 0, no node can be in test-zone-3',
      'general: default and 5 more types on-demand test-zone-3 out of capacity until 2026-01-01T12:02:00Z',
      'a node: needs 1500m cpu; 400m left',
      'wait: EC2 is asked again at 2026-01-01T12:02:00Z (+$0.4147/h)',
    ],
    cluster: {
      ...provision(aCluster({ pools: [general] }), oneIn(Z1, 'a'), oneIn(Z2, 'b')).after,
      unavailable: [dry({ zone: Z3 })],
    },
    pods: [web({ requests: asking(1.5), topologySpread: [spreadOver(ZONE)] })],
  },
  {
    title: 'pods that it avoids are in every zone',
    says: [
      '1 of default/web-7c9-x',
      'general: must not share topology.kubernetes.io/zone with app=db; test-zone-1, test-zone-2, test-zone-3 taken',
      'a node: must not share topology.kubernetes.io/zone with app=db; test-zone-2 taken',
      'no single change helps',
    ],
    cluster: provision(aCluster({ pools: [general] }), ...inZones).after,
    pods: [web({ podAntiAffinity: [to('db', ZONE)] })],
  },
  {
    title: 'pods that must be apart, on the only node that may be',
    says: [
      '1 of default/web-7c9-x',
      'a node: must not share kubernetes.io/hostname with app=web; general-… taken',
      'no single change helps',
    ],
    cluster: {
      ...provision(aCluster({ pools: [general] }), oneIn(Z1, 'a')).after,
      pools: [],
    },
    pods: [web({ podAntiAffinity: [to('web', HOSTNAME)] })],
  },
  {
    title: 'the pod that it must be near does not run',
    says: [
      '1 of default/web-7c9-x',
      'general: must share topology.kubernetes.io/zone with app=cache: none runs',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [web({ podAffinity: [to('cache', ZONE)] })],
  },
  {
    title: 'too large for any type',
    says: [
      '1 of default/web-7c9-x',
      'general: needs 64 cpu; largest type arm has 15.9',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [web({ requests: asking(64, 8) })],
  },
  {
    title: 'too large for any type beside the DaemonSets',
    says: [
      '1 of default/web-7c9-x',
      'general: no type meets 3500m cpu beside the 1 of DaemonSets; missing most: cpu, of which default has 2900m left',
      'set spec.template.spec.requirements[0].values of NodePool general to [small, default, arm] (+$15.3439/h)',
    ],
    cluster: aCluster({
      pools: [{ ...poolOf(need(TYPE, 'In', 'small', 'default')), name: 'general' }],
      daemonSets: [
        aDaemonSet({ template: aPodTemplate({ spec: aPodSpec({ requests: asking(1) }) }) }),
      ],
    }),
    pods: [web({ requests: asking(3.5) })],
  },
  {
    title: 'millions of CPUs: milli was meant',
    says: [
      '1 of default/web-7c9-x',
      'general: needs 2000000 (whole CPUs, not milli) cpu; largest type arm has 15.9',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [web({ requests: asking(2_000_000) })],
  },
  {
    title: 'CPU and memory fit, but on no type both',
    says: [
      '1 of default/web-7c9-x',
      'general: no type meets 8 cpu, 32Gi memory; missing most: one type with all of it',
      'no single change helps',
    ],
    cluster: aCluster({
      pools: [general],
      types: [fakeType('cpu', { cpus: 16, gib: 4 }), fakeType('memory', { cpus: 2, gib: 64 })],
    }),
    pods: [web({ requests: asking(8, 32) })],
  },
  {
    title: 'the NodePool is not ready',
    says: [
      '1 of default/web-7c9-x',
      'general: not Ready: NodeClassReady, EC2NodeClass default: no subnet matches',
      'no single change helps',
    ],
    cluster: aCluster({
      pools: [
        {
          ...general,
          ready: false,
          notReady: {
            condition: 'NodeClassReady',
            message: 'EC2NodeClass default: no subnet matches',
          },
        },
      ],
    }),
    pods: [web()],
  },
  {
    title: 'there is no NodePool',
    says: ['1 of default/web-7c9-x', 'no single change helps'],
    cluster: aCluster({ pools: [] }),
    pods: [web()],
  },
  {
    title: 'the NodePool is being deleted',
    says: [
      '1 of default/web-7c9-x',
      'general: takes no pods that wait: it is being deleted',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [{ ...general, deleting: true }] }),
    pods: [web()],
  },
  {
    title: 'a typo in a label',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label topology.kubernetes.io/zones',
      'select topology.kubernetes.io/zone instead of topology.kubernetes.io/zones in spec.template.spec.nodeSelector of Deployment web (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [web({ nodeSelector: { 'topology.kubernetes.io/zones': Z1 } })],
  },
  {
    title: 'a short name for a label',
    says: [
      '1 of default/web-7c9-x',
      'general: no node and no pool has label zone',
      'select topology.kubernetes.io/zone instead of zone in spec.template.spec.nodeSelector of Deployment web (+$0.4147/h)',
    ],
    cluster: aCluster({ pools: [general] }),
    pods: [web({ nodeSelector: { zone: Z1 } })],
  },
  {
    title: 'the architecture is not one of the pool',
    says: [
      '1 of default/web-7c9-x',
      'general: pod needs kubernetes.io/arch In [arm64], pool gives In [amd64]',
      'set spec.template.spec.requirements[0].values of NodePool general to [amd64, arm64] (+$15.3439/h)',
    ],
    cluster: aCluster({ pools: [{ ...poolOf(need(ARCH, 'In', 'amd64')), name: 'general' }] }),
    pods: [web({ nodeSelector: { [ARCH]: 'arm64' } })],
  },
  {
    title: 'two pools refuse for different reasons',
    says: [
      '1 of default/web-7c9-x',
      'spot: cpu 0 of 0 in use; smallest fitting node small adds 2',
      'general: taint dedicated=gpu:NoSchedule not tolerated',
      'let Deployment web tolerate dedicated=gpu:NoSchedule (+$0.4147/h)',
    ],
    cluster: aCluster({
      pools: [
        { ...poolOf(need(CAPACITY, 'In', 'spot')), name: 'spot', limits: { cpu: 0 } },
        { ...general, taints: [TAINT] },
      ],
    }),
    pods: [web(mustBe(need(CAPACITY, 'In', 'spot', 'on-demand')))],
  },
  {
    title: 'a host port that every node has taken',
    says: [
      '1 of default/web-7c9-x',
      'general: nodes 1 of 1 in use; smallest fitting node (any type) adds 1',
      'a node: TCP/80 taken by a pod that runs there',
      'raise limits.nodes of NodePool general to 2 (+$0.4147/h)',
    ],
    cluster: {
      ...provision(
        aCluster({ pools: [general] }),
        tiny('first', { hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] }),
      ).after,
      pools: [{ ...general, limits: { nodes: 1 } }],
    },
    pods: [web({ hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] })],
  },
  {
    title: 'the only pool launches what it is told, not what pods ask for',
    says: [
      '1 of default/web-7c9-x',
      'general: takes no pods that wait: it is static, with 2 replicas',
      'no single change helps',
    ],
    cluster: aCluster({ pools: [{ ...general, replicas: 2 }] }),
    pods: [web()],
  },
  {
    title: 'a node of somebody else has no room, and there is no pool',
    says: ['1 of default/web-7c9-x', 'a node: needs 2 cpu; 1 left', 'no single change helps'],
    cluster: aCluster({
      pools: [],
      nodes: [aNode({ name: 'their-node', allocatable: { cpu: 1000, memory: 2 ** 30, pods: 10 } })],
    }),
    pods: [web({ requests: asking(2) })],
  },
];
