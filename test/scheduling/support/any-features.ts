import fc from 'fast-check';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Offering } from '../../../shared/model/offerings/instance-type.ts';
import type { NodeOverlay } from '../../../shared/model/offerings/node-overlay.ts';
import type { CapacityBuffer } from '../../../shared/model/pods/capacity-buffer.ts';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import type { DaemonSet } from '../../../shared/model/pods/workload.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { aDaemonSet, aPodSpec, aPodTemplate, aSelector, NOON } from '../../support/builders.ts';
import type { ClusterFeature } from './any-cluster.ts';
import { anyDevices } from './any-devices.ts';
import { anyVolumes } from './any-volumes.ts';
import {
  ARCH,
  affinityTo,
  aPool,
  CAPACITY,
  HOSTNAME,
  need,
  offering,
  requesting,
  spreadOver,
  TYPE,
  Z1,
  Z2,
  Z3,
  ZONE,
} from './fixture.ts';

const NOTHING: ClusterFeature = (cluster) => cluster;
const mostlyNot = (some: fc.Arbitrary<ClusterFeature>): fc.Arbitrary<ClusterFeature> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(NOTHING) }, some);

/** Adds rarely used features to a cluster, one alone or several at once. */
export const anyClusterWithFeatures = (clusters: fc.Arbitrary<ClusterSnapshot>): fc.Arbitrary<ClusterSnapshot> =>
  fc
    .tuple(
      clusters,
      mostlyNot(anyRules),
      mostlyNot(anyPriorities),
      mostlyNot(anyDaemons),
      mostlyNot(anyReservations),
      mostlyNot(anyOverlays),
      mostlyNot(anyShortages),
      mostlyNot(anyMinValues),
      mostlyNot(anySettings),
      mostlyNot(anyNodes),
      mostlyNot(anyPoolExtras),
      mostlyNot(anyBuffers),
      mostlyNot(anyVolumes),
      mostlyNot(anyDevices),
    )
    .map(([cluster, ...furnishings]) => furnishings.reduce((furnishedOne, add) => add(furnishedOne), cluster));

/** Changes the specs of all pods of one app alike, so that they still share one spec. */
const withSpecs = (
  cluster: ClusterSnapshot,
  change: (app: number, spec: PodSpec) => Partial<PodSpec>,
): ClusterSnapshot => {
  const changed = new Map<PodSpec, PodSpec>();
  const specOf = ({ labels, spec }: Pod): PodSpec => {
    const app = Number(labels.app?.replace('app-', ''));
    return getOrCreate(changed, spec, () => ({ ...spec, ...change(app, spec) }));
  };
  const pods = cluster.pods.map((pod) => (pod.nodeName === undefined ? { ...pod, spec: specOf(pod) } : pod));
  return { ...cluster, pods };
};

const settingsOf = ({ settings = DEFAULT_SETTINGS }: ClusterSnapshot): DecisionSettings => settings;
const withGate = (cluster: ClusterSnapshot, gate: keyof DecisionSettings['gates']): DecisionSettings => {
  const settings = settingsOf(cluster);
  return { ...settings, gates: { ...DEFAULT_GATES, ...settings.gates, [gate]: true } };
};

const anyRule = (app: string): fc.Arbitrary<Partial<PodSpec>> => {
  const own = { selector: aSelector({ app }) };
  return fc.constantFrom<Partial<PodSpec>>(
    {},
    { topologySpread: [spreadOver('team', own)] },
    { topologySpread: [spreadOver(ARCH, own)] },
    { topologySpread: [spreadOver(TYPE, { ...own, maxSkew: 2 })] },
    { topologySpread: [spreadOver(ZONE, { ...own, minDomains: 3 }), spreadOver(HOSTNAME, own)] },
    {
      topologySpread: [spreadOver(ZONE, { ...own, nodeTaintsPolicy: 'Honor', nodeAffinityPolicy: 'Ignore' })],
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    },
    { podAntiAffinity: [affinityTo(app, 'team')] },
    { podAntiAffinity: [affinityTo(app, HOSTNAME, { matchLabelKeys: ['revision'] })] },
    { podAffinity: [affinityTo(app, ZONE), affinityTo(app, CAPACITY)] },
    { podAffinity: [affinityTo(app, HOSTNAME)] },
    { podAffinity: [affinityTo('app-10', HOSTNAME)] },
    { podAffinity: [affinityTo('app-10', ZONE), affinityTo('app-11', ZONE)] },
    { podAffinity: [affinityTo(app, ZONE, { matchLabelKeys: ['revision'] })] },
    {
      podAffinity: [affinityTo('app-10', ARCH)],
      podAntiAffinity: [affinityTo('app-10', HOSTNAME)],
    },
    { hostPorts: [{ port: 80, protocol: 'TCP', ip: '10.0.0.1' }] },
    { requiredNodeTerms: [[need('team', 'NotIn', 'red')], [need(ZONE, 'In', Z3)]] },
    { requiredNodeTerms: [[need('team', 'DoesNotExist')]] },
    { requiredNodeTerms: [[need(TYPE, 'NotIn', 'a-8', 'r-4')]] },
  );
};

const anyRules: fc.Arbitrary<ClusterFeature> = fc
  .tuple(anyRule('app-10'), anyRule('app-11'), anyRule('app-12'), anyRule('app-13'))
  .map((rules) => (cluster) => withSpecs(cluster, (app) => rules[app - 10] ?? {}));

const anyPriorities: fc.Arbitrary<ClusterFeature> = fc
  .array(fc.constantFrom(0, 0, 100, 1000), { minLength: 4, maxLength: 4 })
  .map((priorities) => (cluster) => withSpecs(cluster, (app) => ({ priority: priorities[app - 10] ?? 0 })));

const daemon = (name: string, spec: Partial<PodSpec>): DaemonSet =>
  aDaemonSet({
    name,
    template: aPodTemplate({
      labels: { app: name },
      spec: aPodSpec({ requests: requesting(0.2, 0.1), ...spec }),
    }),
  });
const DAEMONS: readonly DaemonSet[] = [
  daemon('on-arm', { nodeSelector: { [ARCH]: 'arm64' } }),
  daemon('in-zone', { requiredNodeTerms: [[need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]] }),
  daemon('everywhere', { tolerations: [{ operator: 'Exists' }] }),
  daemon('with-port', { hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] }),
  daemon('of-team', { nodeSelector: { team: 'red' } }),
  daemon('large-only', {
    requests: requesting(1, 1),
    requiredNodeTerms: [[need('karpenter.k8s.aws/instance-cpu', 'Gt', '4')]],
  }),
];

const anyDaemons: fc.Arbitrary<ClusterFeature> = fc
  .subarray([...DAEMONS], { minLength: 1 })
  .map((more) => (cluster) => ({ ...cluster, daemonSets: [...cluster.daemonSets, ...more] }));

const reservation = (type: string, zone: string, free: number): Offering => ({
  ...offering({ name: type, labels: {}, capacity: {}, allocatable: {} }, 'reserved', zone, 1e-7),
  reservation: { id: `cr-${type}-${zone}`, kind: 'default', isInterruptible: false, free },
});

const anyReservations: fc.Arbitrary<ClusterFeature> = fc
  .uniqueArray(
    fc.record({
      type: fc.constantFrom('c-4', 'r-4', 'a-8', 'c-16', 'a-2'),
      zone: fc.constantFrom(Z1, Z2),
      free: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 3, selector: ({ type, zone }) => `${type} ${zone}` },
  )
  .map((some) => (cluster) => ({
    ...cluster,
    offerings: [...cluster.offerings, ...some.map(({ type, zone, free }) => reservation(type, zone, free))],
  }));

const overlay = (number: number, over: Partial<NodeOverlay>): NodeOverlay => ({
  name: `overlay-${number}`,
  uid: `overlay-${number}`,
  generation: 1,
  weight: number + 1,
  requirements: [],
  capacity: {},
  ...over,
});

const anyOverlays: fc.Arbitrary<ClusterFeature> = fc
  .subarray<Partial<NodeOverlay>>(
    [
      { requirements: [need(ARCH, 'In', 'arm64')], price: { kind: 'scale', share: -0.5 } },
      { requirements: [need(CAPACITY, 'In', 'spot')], price: { kind: 'add', usd: 0.03 } },
      { requirements: [need(TYPE, 'In', 'r-8')], price: { kind: 'set', usd: 0.01 } },
      { requirements: [need(ARCH, 'In', 'amd64')], capacity: { 'example.com/slots': 4 } },
    ],
    { minLength: 1 },
  )
  .map((some) => (cluster) => ({
    ...cluster,
    settings: withGate(cluster, 'NodeOverlay'),
    overlays: some.map((over, number) => overlay(number, over)),
  }));

const anyShortages: fc.Arbitrary<ClusterFeature> = fc
  .subarray(
    [
      { zone: Z1, capacityType: 'spot' as const },
      { zone: Z2 },
      { instanceType: 'r-16' },
      { capacityType: 'on-demand' as const, zone: Z3 },
      { instanceType: 'a-2', zone: Z1 },
    ],
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => (cluster) => ({
    ...cluster,
    unavailable: parts.map((part) => ({ ...part, until: NOON + 60_000 })),
  }));

const anyMinValues: fc.Arbitrary<ClusterFeature> = fc
  .record({
    key: fc.constantFrom(TYPE, ARCH, ZONE),
    count: fc.constantFrom(2, 3),
    minValuesPolicy: fc.constantFrom('Strict' as const, 'BestEffort' as const),
  })
  .map(({ key, count, minValuesPolicy }) => (cluster) => ({
    ...cluster,
    settings: { ...settingsOf(cluster), minValuesPolicy },
    pools: cluster.pools.map((pool, number) =>
      number > 0 || pool.requirements.some((one) => one.key === key)
        ? pool
        : {
            ...pool,
            requirements: [...pool.requirements, { key, operator: 'Exists' as const, minValues: count }],
          },
    ),
  }));

const anySettings: fc.Arbitrary<ClusterFeature> = fc.constantFrom<ClusterFeature>(
  (cluster) => ({ ...cluster, settings: { ...settingsOf(cluster), preferencePolicy: 'Ignore' } }),
  (cluster) => ({
    ...cluster,
    settings: {
      ...settingsOf(cluster),
      defaultSpread: [spreadOver(ZONE, { whenUnsatisfiable: 'ScheduleAnyway' })],
    },
  }),
);

/** Changes nodes as other controllers and users may leave them. */
const anyNodes: fc.Arbitrary<ClusterFeature> = fc.constantFrom<ClusterFeature>(
  (cluster) => withNode(cluster, ({ [CAPACITY]: _, ...labels }) => labels),
  (cluster) => withNode(cluster, ({ [ZONE]: _, ...labels }) => labels),
  (cluster) => ({
    ...cluster,
    claims: cluster.claims.map((claim) => {
      if (claim.registeredAt !== undefined) return claim;
      const { launch: _, ...requested } = claim;
      return requested;
    }),
  }),
  (cluster) => ({
    ...cluster,
    pods: cluster.pods.map((pod, index) =>
      pod.nodeName !== undefined && index % 3 === 0 ? { ...pod, deletionAt: NOON + 1000 } : pod,
    ),
  }),
  (cluster) => ({
    ...cluster,
    nodes: cluster.nodes.map((node, index) =>
      index % 2 === 0 ? { ...node, taints: [...node.taints, { key: 'by-hand', effect: 'NoSchedule' as const }] } : node,
    ),
  }),
);

/** Makes the first node unmanaged, with fewer labels. */
const withNode = (cluster: ClusterSnapshot, change: (labels: Node['labels']) => Node['labels']): ClusterSnapshot => ({
  ...cluster,
  claims: cluster.claims.filter(({ nodeName }) => nodeName !== cluster.nodes[0]?.name),
  nodes: cluster.nodes.map((node, index) => (index === 0 ? { ...node, labels: change(node.labels) } : node)),
});

const anyPoolExtras: fc.Arbitrary<ClusterFeature> = fc.constantFrom<ClusterFeature>(
  (cluster) => withPool(cluster, { startupTaints: [{ key: 'cni', effect: 'NoExecute' }] }),
  (cluster) => withPool(cluster, { taints: [{ key: 'rather', effect: 'PreferNoSchedule' }] }),
  (cluster) => withPool(cluster, { labels: { tier: 'green' } }),
  (cluster) => ({
    ...cluster,
    settings: withGate(cluster, 'StaticCapacity'),
    pools: [...cluster.pools, aPool({ name: 'static', replicas: 2 })],
    instanceTypes: {
      ...cluster.instanceTypes,
      static: Object.values(cluster.instanceTypes)[0] ?? [],
    },
  }),
);

const withPool = (cluster: ClusterSnapshot, over: Partial<NodePool>): ClusterSnapshot => ({
  ...cluster,
  pools: cluster.pools.map((pool, number) => (number === 0 ? { ...pool, ...over } : pool)),
});

const buffer = (replicas: number, cpus: number): CapacityBuffer => ({
  namespace: 'default',
  name: 'spare',
  uid: 'buffer-spare',
  generation: 1,
  strategy: 'buffer.x-k8s.io/active-capacity',
  template: aPodTemplate({
    labels: { app: 'app-10' },
    spec: aPodSpec({ requests: requesting(cpus, 1) }),
  }),
  replicas,
});

const anyBuffers: fc.Arbitrary<ClusterFeature> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(0.5, 2))
  .map(([replicas, cpus]) => (cluster) => ({
    ...cluster,
    settings: withGate(cluster, 'CapacityBuffer'),
    buffers: [buffer(replicas, cpus)],
  }));
