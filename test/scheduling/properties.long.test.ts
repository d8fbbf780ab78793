import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../shared/model/plans.ts';
import { isProvisionable } from '../../shared/model/pods/disruption-pods.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { listPodsToPlace } from '../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../shared/scheduling/input/problem.ts';
import { computeFleetBound } from '../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { solve } from '../../shared/scheduling/search/solve.ts';
import { checkPlan, countPlacedPods } from '../vectors/check-plan.ts';
import { anyCluster } from './support/any-cluster.ts';
import { anyClusterWithFeatures } from './support/any-features.ts';
import { carryOut } from './support/provision.ts';

const RUNS = { numRuns: 60 };

/** Plans are compared with the fixed cost of each node. */
const costUsd = ({ hourlyUsd, claims }: ProvisioningPlan): number =>
  hourlyUsd + claims.length * DEFAULT_SETTINGS.perNodeHourlyUsd;
/** The price before the plan is repaired. */
function packedUsd(snapshot: ClusterSnapshot): number {
  const problem = prepare(snapshot);
  return solve(problem, listPodsToPlace(problem)).costUsd;
}
const plan = (snapshot: ClusterSnapshot) => planProvisioning(snapshot, 'decision-1');

describe('any plan', () => {
  it('is valid, whatever is launched', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        expect(checkPlan(cluster, plan(cluster))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('is valid with volumes, devices, reservations, overlays, DaemonSets and more', () => {
    fc.assert(
      fc.property(anyClusterWithFeatures(anyCluster()), (cluster) => {
        expect(checkPlan(cluster, plan(cluster))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('is equal for equal snapshots', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        expect(plan(structuredClone(cluster))).toEqual(plan(cluster));
      }),
      RUNS,
    );
  });

  it('does not depend on earlier plans', () => {
    fc.assert(
      fc.property(anyCluster(), anyCluster(), (cluster, other) => {
        const first = structuredClone(plan(cluster));
        plan(other);

        expect(plan(cluster)).toEqual(first);
      }),
      RUNS,
    );
  });

  it('costs the same for any order of the pods', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const reversed = plan({ ...cluster, pods: cluster.pods.toReversed() });

        expect(countPlacedPods(reversed)).toBe(countPlacedPods(plan(cluster)));
        expect(reversed.hourlyUsd).toBeCloseTo(plan(cluster).hourlyUsd);
      }),
      RUNS,
    );
  });

  it('leaves nothing to the next loop without limits: a second plan places no more pods', () => {
    fc.assert(
      fc.property(anyCluster({ limited: false, isMoving: false }), (cluster) => {
        const first = plan(cluster);
        const second = planProvisioning(carryOut(cluster, first), 'decision-2');

        expect(countPlacedPods(second)).toBe(0);
      }),
      RUNS,
    );
  });

  it('places every pod that could have a node of its own, without limits', () => {
    fc.assert(
      fc.property(anyCluster({ withRules: false, limited: false }), (cluster) => {
        const waiting = cluster.pods.filter(isProvisionable);
        const alone = waiting.filter(
          (pod) => plan({ ...cluster, nodes: [], claims: [], pods: [pod] }).claims.length > 0,
        );

        expect(countPlacedPods(plan(cluster))).toBeGreaterThanOrEqual(alone.length);
      }),
      RUNS,
    );
  });

  it('costs no more than one node per pod, without limits and existing nodes', () => {
    fc.assert(
      fc.property(anyCluster({ withRules: false, limited: false }), (cluster) => {
        const empty = { ...cluster, nodes: [], claims: [] };
        const waiting = cluster.pods.filter(isProvisionable);
        const alone = waiting.map((pod) => packedUsd({ ...empty, pods: [pod] }));

        expect(packedUsd({ ...empty, pods: waiting })).toBeLessThanOrEqual(
          alone.reduce((total, usd) => total + usd, 1e-9),
        );
      }),
      RUNS,
    );
  });
});

describe('the lower bound of a plan', () => {
  it('is never above its price, whatever is running', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const { bound, hourlyUsd, claims } = plan(cluster);

        expect(bound?.leastHourlyUsd ?? 0).toBeLessThanOrEqual(hourlyUsd + 1e-9);
        expect(bound?.leastCostUsd ?? 0).toBeLessThanOrEqual((bound?.costUsd ?? 0) + 1e-9);
        expect(bound === undefined).toBe(claims.length === 0);
      }),
      { numRuns: 120 },
    );
  });

  it('holds for a plan with one node per pod', () => {
    fc.assert(
      fc.property(anyCluster({ withRules: false, limited: false, isMoving: false }), (cluster) => {
        const bare = { ...cluster, nodes: [], claims: [] };
        const { bound, claims } = plan(bare);
        const alone = claims
          .flatMap(({ pods }) => pods)
          .map((key) => plan({ ...bare, pods: bare.pods.filter((pod) => podKey(pod) === key) }));

        expect(bound?.leastCostUsd ?? 0).toBeLessThanOrEqual(alone.reduce((total, one) => total + costUsd(one), 1e-9));
      }),
      RUNS,
    );
  });
});

describe('the lower bound of a fleet', () => {
  it('is never above the price of a plan for an empty cluster', () => {
    fc.assert(
      fc.property(anyCluster({ limited: false }), (cluster) => {
        const empty = {
          ...cluster,
          nodes: [],
          claims: [],
          pods: cluster.pods.filter(isProvisionable),
        };
        const made = plan(empty);
        fc.pre(made.unplaced.length === 0);

        expect(computeFleetBound(empty)).toBeLessThanOrEqual(made.hourlyUsd + 1e-9);
      }),
      RUNS,
    );
  });

  it('grows with every pod', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const fewer = { ...cluster, pods: cluster.pods.slice(1) };

        expect(computeFleetBound(fewer)).toBeLessThanOrEqual(computeFleetBound(cluster) + 1e-9);
      }),
      RUNS,
    );
  });

  it('is zero without pods', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        expect(computeFleetBound({ ...cluster, pods: [] })).toBe(0);
      }),
      RUNS,
    );
  });
});
