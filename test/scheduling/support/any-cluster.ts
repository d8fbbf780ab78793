import fc from 'fast-check';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aDaemonSet, aPod, aPodSpec, aPodTemplate, aSelector, NOON } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  affinityTo,
  aPool,
  CAPACITY,
  fakeType,
  HOSTNAME,
  need,
  offering,
  prefers,
  requesting,
  spreadOver,
  Z1,
  Z2,
  Z3,
  ZONE,
} from './fixture.ts';
import { carryOut } from './provision.ts';

const ZONES = [Z1, Z2, Z3];
const SIZES = [1, 2, 4, 8, 16];

/** Types of both architectures in several sizes; prices are random. */
const TYPES = SIZES.flatMap((cpus) => [
  fakeType(`c-${cpus}`, { cpus, gib: 2 * cpus, pods: 4 * cpus, systems: ['linux'] }),
  fakeType(`r-${cpus}`, { cpus, gib: 8 * cpus, pods: 4 * cpus, systems: ['linux'] }),
  fakeType(`a-${cpus}`, {
    cpus,
    gib: 4 * cpus,
    pods: 4 * cpus,
    systems: ['linux'],
    labels: { [ARCH]: 'arm64' },
  }),
]);

/** Random prices: roughly by size; spot is cheaper, and sometimes unavailable. */
const anyMarket = fc.array(fc.record({ percent: fc.integer({ min: 60, max: 140 }), sold: fc.nat(9) }), {
  minLength: TYPES.length * 6,
  maxLength: TYPES.length * 6,
});
type MarketData = readonly { readonly percent: number; readonly sold: number }[];

const offeringsAt = (market: MarketData) =>
  TYPES.flatMap((type, number) =>
    ZONES.flatMap((zone, position) =>
      (['on-demand', 'spot'] as const).flatMap((capacityType, kind) => {
        const { percent, sold } = market[number * 6 + position * 2 + kind] ?? {
          percent: 100,
          sold: 9,
        };
        const usd = ((type.capacity.cpu ?? 0) / 1000) * 0.05 * (percent / 100);
        if (capacityType === 'spot' && sold < 2) return [];
        return [offering(type, capacityType, zone, capacityType === 'spot' ? usd * 0.4 : usd)];
      }),
    ),
  );

const TAINT = { key: 'dedicated', value: 'yes', effect: 'NoSchedule' } as const;

const anyPool = (limits: fc.Arbitrary<NodePool['limits']>): fc.Arbitrary<Partial<NodePool>> =>
  fc.record({
    weight: fc.constantFrom(0, 0, 10),
    taints: fc.constantFrom([], [], [TAINT]),
    requirements: fc.subarray([
      need(ARCH, 'In', 'amd64'),
      need(ZONE, 'In', Z1, Z2),
      need(CAPACITY, 'In', 'on-demand'),
      need('team', 'In', 'red', 'blue'),
    ]),
    limits,
  });

const NO_LIMITS = fc.constant({});
const anyLimits = fc.oneof(
  { weight: 2, arbitrary: NO_LIMITS },
  fc.record({ cpu: fc.integer({ min: 1, max: 30 }).map((cpus) => cpus * 1000) }),
  fc.record({ nodes: fc.integer({ min: 1, max: 6 }) }),
);

const NO_RULES: Partial<PodSpec> = {};

/** Topology rules of one kind of pods towards themselves and towards the first kind. */
const anyRules = (app: string): fc.Arbitrary<Partial<PodSpec>> =>
  fc.constantFrom<Partial<PodSpec>>(
    NO_RULES,
    { topologySpread: [spreadOver(ZONE, { selector: aSelector({ app }) })] },
    { topologySpread: [spreadOver(HOSTNAME, { maxSkew: 2, selector: aSelector({ app }) })] },
    { topologySpread: [spreadOver(CAPACITY, { selector: aSelector({ app }) })] },
    {
      topologySpread: [spreadOver(ZONE, { selector: aSelector({ app }), whenUnsatisfiable: 'ScheduleAnyway' })],
    },
    { podAntiAffinity: [affinityTo(app, HOSTNAME)] },
    { podAntiAffinity: [affinityTo('app-0', HOSTNAME)] },
    { podAntiAffinity: [affinityTo(app, ZONE)] },
    { podAffinity: [affinityTo(app, ZONE)] },
    { podAffinity: [affinityTo('app-0', ZONE)] },
    {
      topologySpread: [
        spreadOver(ZONE, { selector: aSelector({ app }) }),
        spreadOver(CAPACITY, { selector: aSelector({ app }) }),
      ],
    },
    { topologySpread: [spreadOver(ZONE, { selector: aSelector({ app }), minDomains: 3 })] },
    {
      topologySpread: [spreadOver(ZONE, { selector: aSelector({ app }), nodeAffinityPolicy: 'Ignore' })],
    },
    {
      topologySpread: [spreadOver(HOSTNAME, { selector: aSelector({ app }), matchLabelKeys: ['revision'] })],
    },
    {
      topologySpread: [spreadOver(ZONE, { selector: aSelector({ app }), nodeTaintsPolicy: 'Honor' })],
    },
    {
      podAntiAffinity: [affinityTo(app, HOSTNAME, { namespaceSelector: aSelector({ team: 'red' }) })],
    },
    { podAffinity: [affinityTo('app-0', ZONE, { namespaceSelector: aSelector({}) })] },
    { preferredPodAntiAffinity: [{ weight: 1, term: affinityTo(app, HOSTNAME) }] },
    { preferredPodAffinity: [{ weight: 1, term: affinityTo('app-0', HOSTNAME) }] },
  );

/** Every second kind of pods carries this label, so that rules overlap. */
const SHARED = { tier: 'shared' };
const toShared = (key: string) => ({ ...affinityTo('', key), selector: aSelector(SHARED) });

const anyCrossingRules = fc.constantFrom<Partial<PodSpec>>(
  { topologySpread: [spreadOver(ZONE, { selector: aSelector(SHARED) })] },
  { topologySpread: [spreadOver(HOSTNAME, { selector: aSelector(SHARED) })] },
  { podAntiAffinity: [toShared(ZONE)] },
  { podAntiAffinity: [toShared(HOSTNAME)] },
  { podAffinity: [toShared(ZONE)] },
);

const anyPlace: fc.Arbitrary<Partial<PodSpec>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Partial<PodSpec>>({}) },
  fc.constantFrom<Partial<PodSpec>>(
    { nodeSelector: { [ARCH]: 'arm64' } },
    { nodeSelector: { [ZONE]: Z2 } },
    { nodeSelector: { team: 'red' } },
    { requiredNodeTerms: [[need(ZONE, 'In', Z3)], [need(CAPACITY, 'In', 'on-demand')]] },
    { requiredNodeTerms: [[need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]] },
    prefers([1, need(CAPACITY, 'In', 'spot')]),
    { tolerations: [{ key: TAINT.key, operator: 'Exists' }] },
    { hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] },
  ),
);

/** Random topology rules and node requirements. */
const anyDemands = (app: string): fc.Arbitrary<Partial<PodSpec>> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .tuple(anyRules(app), anyPlace)
        .map(([rules, location]): Partial<PodSpec> => ({ ...rules, ...location })),
    },
    anyCrossingRules,
  );

/** Equal pods, as of one Deployment. */
const anyApp = (number: number, withRules: boolean): fc.Arbitrary<readonly Pod[]> =>
  fc
    .record({
      replicas: fc.integer({ min: 1, max: 6 }),
      cpus: fc.constantFrom(0.1, 0.25, 0.5, 1, 1.5, 3, 7),
      gib: fc.constantFrom(0.25, 0.5, 1, 2, 6, 12),
      demands: withRules ? anyDemands(`app-${number}`) : anyPlace,
    })
    .map(({ replicas, cpus, gib, demands }) => {
      const labels = { app: `app-${number}`, ...(number % 2 > 0 ? SHARED : {}) };
      const namespace = number % 3 === 2 ? 'other' : 'default';
      const spec = aPodSpec({ requests: requesting(cpus, gib), ...demands });
      const owner = { kind: 'ReplicaSet', name: `app-${number}`, uid: `rs-${number}` };
      return Array.from({ length: replicas }, (_, index) =>
        aPod({
          name: `app-${number}-${index}`,
          namespace,
          labels: { ...labels, revision: `${index % 2}` },
          spec,
          owner,
        }),
      );
    });

const anyApps = (from: number, withRules: boolean): fc.Arbitrary<Pod[]> =>
  fc
    .integer({ min: 1, max: 4 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => anyApp(from + index, withRules))))
    .map((apps) => apps.flat());

interface Kind {
  readonly limited?: boolean;
  /** True if pods may have spreads, affinity and anti-affinity. */
  readonly withRules?: boolean;
  /** True if nodes may be starting or being removed. */
  readonly isMoving?: boolean;
}

/**
 * A small random cluster: nodes of an earlier plan, some of whose pods are gone, and pending pods.
 */
export const anyCluster = ({
  limited = true,
  withRules = true,
  isMoving = true,
}: Kind = {}): fc.Arbitrary<ClusterSnapshot> =>
  fc
    .record({
      market: anyMarket,
      pools: fc.array(anyPool(limited ? anyLimits : NO_LIMITS), { minLength: 1, maxLength: 3 }),
      daemonCpus: fc.constantFrom(0, 0.1),
      earlier: anyApps(0, withRules),
      gone: fc.integer({ min: 1, max: 4 }),
      states: fc.array(isMoving ? anyState : fc.constant<NodeState>('runs'), {
        minLength: 5,
        maxLength: 5,
      }),
      waiting: anyApps(10, withRules),
    })
    .map(({ market, pools, daemonCpus, earlier, gone, states, waiting }) => {
      const empty = aCluster({
        types: TYPES,
        priced: offeringsAt(market),
        pools: pools.map((pool, number) => aPool({ name: `pool-${number}`, ...pool })),
        daemonSets: daemonCpus > 0 ? [agent(daemonCpus)] : [],
        namespaces: { default: { team: 'red' }, other: { team: 'blue' } },
        pods: earlier,
      });
      const launched = carryOut(empty, planProvisioning(empty, 'earlier'));
      const running = withStates(launched, states);
      return {
        ...running,
        pods: [...running.pods.filter(({ nodeName }, index) => nodeName !== undefined && index % gone > 0), ...waiting],
      };
    });

type NodeState = 'runs' | 'starts' | 'leaves';
const anyState = fc.constantFrom<NodeState>('runs', 'runs', 'runs', 'starts', 'leaves');

/** Makes some nodes still starting, with pods that are not bound yet, and some being removed. */
function withStates(cluster: ClusterSnapshot, states: readonly NodeState[]): ClusterSnapshot {
  const stateOf = new Map(cluster.claims.map(({ name }, index) => [name, states[index % states.length]]));
  return {
    ...cluster,
    nodes: cluster.nodes.filter(({ name }) => stateOf.get(name) !== 'starts'),
    claims: cluster.claims.map((claim) => inState(claim, stateOf.get(claim.name))),
    pods: cluster.pods.filter(({ nodeName }) => nodeName === undefined || stateOf.get(nodeName) !== 'starts'),
  };
}

function inState(claim: NodeClaim, state: NodeState | undefined): NodeClaim {
  if (state === 'leaves') return { ...claim, deletingAt: NOON };
  if (state !== 'starts') return claim;
  const { nodeName: _node, registeredAt: _registered, initializedAt: _init, ...started } = claim;
  return started;
}

const agent = (cpus: number) =>
  aDaemonSet({
    template: aPodTemplate({
      labels: { app: 'agent' },
      spec: aPodSpec({ requests: requesting(cpus) }),
    }),
  });

/** Adds a feature to any cluster. */
export type ClusterFeature = (cluster: ClusterSnapshot) => ClusterSnapshot;
