import { describe, expect, it } from 'vitest';
import { planScaleDown } from '../../../shared/disruption/plan-scale-down.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aRunningPod } from '../../support/builders.ts';
import { aCluster, aPool, CAPACITY, need, TYPE, tiny } from '../support/fixture.ts';
import { carryOut } from '../support/provision.ts';

const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, StaticCapacity: true } };

const ofSize = (replicas: number, over: Partial<NodePool> = {}): NodePool =>
  aPool({ name: 'static', replicas, requirements: [need(TYPE, 'In', 'small')], ...over });

const clusterWith = (pool: NodePool, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aCluster({ pools: [pool], settings, ...over });

let decisions = 0;
const plan = (cluster: ClusterSnapshot) => {
  decisions += 1;
  return planProvisioning(cluster, `decision-${decisions}`);
};
const running = (replicas: number): ClusterSnapshot => {
  const cluster = clusterWith(ofSize(replicas));
  return carryOut(cluster, plan(cluster));
};
const resized = (cluster: ClusterSnapshot, replicas: number): ClusterSnapshot => ({
  ...cluster,
  pools: [ofSize(replicas)],
});
const claimsOf = (cluster: ClusterSnapshot): number => plan(cluster).claims.length;

describe('a static NodePool', () => {
  it.each([
    ['two of two are missing', clusterWith(ofSize(2)), 2],
    ['one is there, three are wanted', resized(running(1), 3), 2],
    ['a thousand', clusterWith(ofSize(1000)), 1000],
    ['its limit on nodes comes first', clusterWith(ofSize(15, { limits: { nodes: 10 } })), 10],
    ['none is missing', running(2), 0],
    ['none is wanted', clusterWith(ofSize(0)), 0],
    ['it is not Ready', clusterWith(ofSize(2, { ready: false })), 0],
    ['it is on its way out', clusterWith(ofSize(2, { deleting: true })), 0],
    ['the gate is off', clusterWith(ofSize(2), { settings: DEFAULT_SETTINGS }), 0],
  ])('has the right number of new claims if %s', (_, cluster, expected) => {
    expect(claimsOf(cluster)).toBe(expected);
  });

  it('launches nothing once its limit is reached', () => {
    const cluster = { ...running(1), pools: [ofSize(3, { limits: { nodes: 1 } })] };
    expect(claimsOf(cluster)).toBe(0);
  });

  it('replaces a node that is being removed as soon as the limit allows it', () => {
    const cluster = running(2);
    const claims = cluster.claims.map((claim, index) =>
      index === 0 ? { ...claim, deletingAt: cluster.takenAt } : claim,
    );
    expect(claimsOf({ ...cluster, claims })).toBe(1);
    expect(claimsOf({ ...cluster, claims, pools: [ofSize(2, { limits: { nodes: 2 } })] })).toBe(0);
  });

  it("has claims with the NodePool's requirements and without pods", () => {
    const { claims, hourlyUsd } = plan(clusterWith(ofSize(2)));

    expect(claims.map(({ pods, claim }) => [pods, claim.pool, claim.instanceTypes])).toEqual([
      [[], 'static', ['small']],
      [[], 'static', ['small']],
    ]);
    expect(new Set(claims.map(({ claim }) => claim.name)).size).toBe(2);
    expect(hourlyUsd).toBeCloseTo(claims.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0));
  });

  it('does not grow with pods, but runs them', () => {
    const cluster = running(1);
    const pods = ['a', 'b'].map((name) => tiny(name, { requests: { cpu: 1000, pods: 1 } }));
    const { claims, placements, unplaced } = plan({ ...cluster, pods });

    expect(claims).toEqual([]);
    expect(placements.flatMap((one) => one.pods)).toHaveLength(1);
    expect(unplaced.flatMap((one) => one.pods)).toHaveLength(1);
  });

  it('uses only its own reservations', () => {
    const cluster = clusterWith(ofSize(3));
    const [first] = cluster.offerings.filter(({ instanceType }) => instanceType === 'small');
    const reserved = first && {
      ...first,
      capacityType: 'reserved' as const,
      hourlyUsd: 1e-8,
      reservation: { id: 'cr-1', kind: 'default' as const, isInterruptible: false, free: 2 },
    };
    const { claims } = plan({
      ...cluster,
      offerings: [...cluster.offerings, ...(reserved ? [reserved] : [])],
    });
    const capacity = claims.map(({ claim }) =>
      claim.requirements.find(({ key }) => key === CAPACITY)?.values?.includes('reserved'),
    );
    expect(capacity).toEqual([true, true, false]);
  });
});

describe('a static NodePool with too many nodes', () => {
  /** Five nodes with names in no order: the first has no instance, the second no pods. */
  function five(): { readonly cluster: ClusterSnapshot; readonly names: readonly string[] } {
    const cluster = running(5);
    const names = cluster.claims.map(({ name }) => name);
    const [unlaunched, , ...busy] = cluster.claims;
    const pods = busy.flatMap(({ name }, index) =>
      Array.from({ length: index + 1 }, (_, pod) =>
        aRunningPod(name, {
          name: `${name}-${pod}`,
          annotations: index === 0 ? { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } : {},
        }),
      ),
    );
    const claims = cluster.claims.map(({ launch, ...claim }) =>
      claim.name === unlaunched?.name ? claim : { ...claim, ...(launch ? { launch } : {}) },
    );
    const nodes = cluster.nodes.filter(({ name }) => name !== unlaunched?.name);
    return { cluster: { ...cluster, claims, nodes, pods }, names };
  }

  it('removes claims that are not launched, then empty nodes, then those that are cheapest to disrupt', () => {
    const { cluster, names } = five();
    const [unlaunched, empty, kept, two, three] = names;

    expect(planScaleDown(resized(cluster, 2))).toEqual([unlaunched, empty, two]);
    expect(planScaleDown(resized(cluster, 0))).toEqual([unlaunched, empty, two, three, kept]);
  });

  it('removes nothing if it is not too large', () => {
    expect(planScaleDown(resized(five().cluster, 5))).toEqual([]);
    expect(planScaleDown({ ...resized(five().cluster, 1), settings: DEFAULT_SETTINGS })).toEqual([]);
  });

  it('does not count a node that is being replaced', () => {
    const cluster = running(3);
    const nodes = cluster.nodes.map((node, index) => (index === 0 ? { ...node, taints: [DISRUPTED_TAINT] } : node));
    expect(planScaleDown({ ...resized(cluster, 2), nodes })).toEqual([]);
  });
});
