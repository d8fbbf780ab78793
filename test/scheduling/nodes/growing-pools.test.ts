import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { PAYS_BACK_AT_ANNOTATION } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aFleet, type FleetNode, web } from '../../disruption/fleet.ts';
import { aPod, aPodSpec, aSelector, NOON, resources } from '../../support/builders.ts';

/** A full node of two CPUs that was launched for its pods some minutes ago. */
const launched = (
  minutesAgo: number,
  claim: Partial<NodeClaim> = {},
  pod: Partial<Pod> = {},
): FleetNode => {
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

function planFor(
  nodes: readonly FleetNode[],
  over: Partial<ClusterSnapshot> = {},
  pods: readonly Pod[] = [WAITING],
) {
  const snapshot = aFleet(nodes, { settings: SETTINGS, pods, ...over });
  return planProvisioning(snapshot, 'd');
}

const findTypes = (...input: Parameters<typeof planFor>): readonly string[] =>
  planFor(...input).claims.map(({ cheapest }) => cheapest.instanceType);

describe('a new node of a growing pool', () => {
  it('has room for as much as the pool launched in the last half hour', () => {
    expect(findTypes(GROWING)).toEqual(['large']);
  });

  it('is reported with the pods that exist', () => {
    const { claims, unplaced, hourlyUsd } = planFor(GROWING);
    expect(claims.map(({ pods }) => pods)).toEqual([['default/waiting']]);
    expect(claims[0]?.claim.expects).toEqual({ 'rs-web': 1 });
    expect(unplaced).toEqual([]);
    expect(hourlyUsd).toBe(claims[0]?.cheapest.hourlyUsd);
  });

  it.each<[string, readonly FleetNode[], Partial<ClusterSnapshot>]>([
    ['growth is not considered, as by default', GROWING, { settings: DEFAULT_SETTINGS }],
    ['only two nodes were launched', GROWING.slice(1, 3), {}],
    ['all were launched at once', [1, 2, 3, 4].map((minutes) => launched(minutes)), {}],
    ['they were launched earlier', [35, 40, 45, 50].map((minutes) => launched(minutes)), {}],
    [
      'they were launched for Jobs',
      [25, 20, 10, 5].map((minutes) =>
        launched(
          minutes,
          { expects: { job: 2 } },
          { owner: { kind: 'Job', name: 'job', uid: 'job' } },
        ),
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
      [25, 20, 10, 5].map((minutes) => launched(minutes, {}, { spec: withSpread() })),
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
