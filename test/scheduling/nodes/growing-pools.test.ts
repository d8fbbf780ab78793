import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { PAYS_BACK_AT_ANNOTATION } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { listGrowthPods } from '../../../shared/scheduling/input/growth-pods.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aFleet, type FleetNode, web } from '../../disruption/fleet.ts';
import { aPod, aPodSpec, aSelector, NOON, resources } from '../../support/builders.ts';

/** A full node of two CPUs that was launched for its pods some minutes ago. */
const launched = (minutesAgo: number, claim: Partial<NodeClaim> = {}, pod: Partial<Pod> = {}): FleetNode => {
  const createdAt = NOON - minutesAgo * MINUTE_MS;
  const name = `node-${minutesAgo}`;
  return {
    name,
    pods: [
      { ...web(`on-${name}-a`, 1), createdAt, ...pod },
      { ...web(`on-${name}-b`, 1), createdAt, ...pod },
    ],
    claim: { createdAt, expects: { 'rs-web': 2 }, requests: resources(1.75, 2), ...claim },
  };
};

const GROWING = [25, 20, 10, 5].map((minutesAgo) => launched(minutesAgo));

const SETTINGS: DecisionSettings = { ...DEFAULT_SETTINGS, growthWindowMs: 30 * MINUTE_MS };

const WAITING = aPod({
  name: 'waiting',
  owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
  spec: aPodSpec({ requests: resources(1, 1, { pods: 1 }) }),
});

function planFor(nodes: readonly FleetNode[], over: Partial<ClusterSnapshot> = {}, pods: readonly Pod[] = [WAITING]) {
  const snapshot = aFleet(nodes, { settings: SETTINGS, pods, ...over });
  return planProvisioning(snapshot, 'd');
}

const findTypes = (...input: Parameters<typeof planFor>): readonly string[] =>
  planFor(...input).claims.map(({ cheapest }) => cheapest.instanceType);

/** Full nodes of eight CPUs, long before the growth. */
const OLD: readonly FleetNode[] = Array.from({ length: 20 }, (_, index) => ({
  name: `old-${index}`,
  type: 'large',
  pods: [web(`on-old-${index}`, 7.5)],
  claim: { createdAt: NOON - 20 * HOUR_MS },
}));

describe('a new node of a growing pool', () => {
  it('has room for as much as the pool launched in the last half hour', () => {
    expect(findTypes([...OLD, ...GROWING])).toEqual(['large']);
  });

  it('is at most a twentieth of its pool, or has four CPUs', () => {
    expect(findTypes(GROWING)).toEqual(['medium']);
    expect(findTypes([...OLD.slice(0, 10), ...GROWING])).toEqual(['medium']);
  });

  it('has room for a mixture of the workloads that grow, by their CPU', () => {
    const large = aPodSpec({ requests: resources(1, 8, { pods: 1 }) });
    const small = aPodSpec({ requests: resources(0.5, 1, { pods: 1 }) });
    const nodes = [25, 20, 10, 5].map((minutesAgo) =>
      launched(minutesAgo, {}, { spec: minutesAgo < 10 ? large : small }),
    );
    expect(listSpecs([...OLD, ...nodes])).toEqual([
      { cpu: 0.5, gib: 1, count: 8 },
      { cpu: 1, gib: 8, count: 3 },
    ]);
  });

  it('has room for pods that spread over zones, wherever those will be', () => {
    const nodes = [25, 20, 10, 5].map((minutes) => launched(minutes, {}, { spec: withSpread() }));
    expect(findTypes(nodes)).toEqual(['medium']);
  });

  it('is reported with the pods that exist', () => {
    const { claims, unplaced, hourlyUsd } = planFor(GROWING);
    expect(claims.map(({ pods }) => pods)).toEqual([['default/waiting']]);
    expect(claims[0]?.claim.expects).toEqual({ 'rs-web': 1 });
    expect(unplaced).toEqual([]);
    expect(hourlyUsd).toBe(claims[0]?.cheapest.hourlyUsd);
  });

  it.each<[string, readonly FleetNode[], Partial<ClusterSnapshot>]>([
    ['growth is not considered', GROWING, { settings: { ...SETTINGS, growthWindowMs: 0 } }],
    ['only two nodes were launched', GROWING.slice(1, 3), {}],
    ['all were launched at once', [1, 2, 3, 4].map((minutes) => launched(minutes)), {}],
    ['they were launched earlier', [35, 40, 45, 50].map((minutes) => launched(minutes)), {}],
    [
      'they were launched for Jobs',
      [25, 20, 10, 5].map((minutes) =>
        launched(minutes, { expects: { job: 2 } }, { owner: { kind: 'Job', name: 'job', uid: 'job' } }),
      ),
      {},
    ],
    [
      'they replaced other nodes',
      [25, 20, 10, 5].map((minutes) =>
        launched(minutes, { annotations: { [PAYS_BACK_AT_ANNOTATION]: '2026-01-01T13:00:00Z' } }),
      ),
      {},
    ],
    [
      'its pods depend on other pods',
      [25, 20, 10, 5].map((minutes) => launched(minutes, {}, { spec: withAntiAffinity() })),
      {},
    ],
    [
      'no pod started in this time',
      [25, 20, 10, 5].map((minutes) => launched(minutes, {}, { createdAt: NOON - HOUR_MS })),
      {},
    ],
  ])('is for the waiting pods alone if %s', (_, nodes, over) => {
    expect(findTypes(nodes, over)).toEqual(['small']);
  });

  it('is not launched for pods to come alone', () => {
    expect(findTypes(GROWING, {}, [])).toEqual([]);
  });

  it('is smaller if the limits of the pool leave no room for pods to come', () => {
    const pools = aFleet([]).pools.map((pool) => ({ ...pool, limits: { cpu: 10_000 } }));
    expect(findTypes(GROWING, { pools })).toEqual(['small']);
  });
});

/** Counts the pods to come by their requests. */
function listSpecs(nodes: readonly FleetNode[]) {
  const snapshot = aFleet(nodes, { settings: SETTINGS, pods: [WAITING] });
  const specs = listGrowthPods(prepare(snapshot), [WAITING]).map(({ spec }) => spec);
  return [...Map.groupBy(specs, ({ requests }) => requests)]
    .map(([requests, own]) => ({
      cpu: (requests.cpu ?? 0) / 1000,
      gib: (requests.memory ?? 0) / 2 ** 30,
      count: own.length,
    }))
    .toSorted((a, b) => a.cpu - b.cpu);
}

function withAntiAffinity() {
  return aPodSpec({
    requests: resources(1, 1, { pods: 1 }),
    podAntiAffinity: [
      {
        key: 'kubernetes.io/hostname',
        selector: aSelector({ app: 'web' }),
        matchLabelKeys: [],
        namespaces: [],
      },
    ],
  });
}

function withSpread() {
  return aPodSpec({
    requests: resources(1, 1, { pods: 1 }),
    topologySpread: [
      {
        key: 'topology.kubernetes.io/zone',
        maxSkew: 5,
        whenUnsatisfiable: 'DoNotSchedule',
        selector: aSelector({ app: 'web' }),
        matchLabelKeys: [],
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
    ],
  });
}
