import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { isProvisionable } from '../../shared/model/pods/disruption-pods.ts';
import type { ProvisioningPlan } from '../../shared/model/plans.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import { USUAL_SETTINGS } from '../../shared/model/settings.ts';
import { computeFleetBound } from '../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { listPodsToPlace } from '../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../shared/scheduling/input/problem.ts';
import { solve } from '../../shared/scheduling/search/solve.ts';
import { checkPlan, placedPods } from '../vectors/check-plan.ts';
import { anyCluster } from './any-cluster.ts';
import { furnished } from './any-furnished.ts';
import { carryOut } from './provision.ts';

const RUNS = { numRuns: 60 };

/** Plans are weighed with what a node costs beside its instance. */
const costUsd = ({ hourlyUsd, claims }: ProvisioningPlan): number =>
  hourlyUsd + claims.length * USUAL_SETTINGS.perNodeHourlyUsd;
/** Before anything is spent on holding. */
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

  it('is valid with volumes, devices, reservations, overlays, DaemonSets and what else there is', () => {
    fc.assert(
      fc.property(furnished(anyCluster()), (cluster) => {
        expect(checkPlan(cluster, plan(cluster))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('is the same for an equal snapshot', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        expect(plan(structuredClone(cluster))).toEqual(plan(cluster));
      }),
      RUNS,
    );
  });

  it('does not depend on what was planned before', () => {
    fc.assert(
      fc.property(anyCluster(), anyCluster(), (cluster, other) => {
        const first = structuredClone(plan(cluster));
        plan(other);

        expect(plan(cluster)).toEqual(first);
      }),
      RUNS,
    );
  });

  it('costs the same in whatever order the pods are listed', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const reversed = plan({ ...cluster, pods: cluster.pods.toReversed() });

        expect(placedPods(reversed)).toBe(placedPods(plan(cluster)));
        expect(reversed.hourlyUsd).toBeCloseTo(plan(cluster).hourlyUsd);
      }),
      RUNS,
    );
  });

  it('leaves nothing to the next loop, if nothing limits it: a second one finds no place either', () => {
    fc.assert(
      fc.property(anyCluster({ limited: false, isMoving: false }), (cluster) => {
        const first = plan(cluster);
        const second = planProvisioning(carryOut(cluster, first), 'decision-2');

        expect(placedPods(second)).toBe(0);
      }),
      RUNS,
    );
  });

  it('places every pod that would get a node of its own, if nothing limits them', () => {
    fc.assert(
      fc.property(anyCluster({ withRules: false, limited: false }), (cluster) => {
        const waiting = cluster.pods.filter(isProvisionable);
        const alone = waiting.filter(
          (pod) => plan({ ...cluster, nodes: [], claims: [], pods: [pod] }).claims.length > 0,
        );

        expect(placedPods(plan(cluster))).toBeGreaterThanOrEqual(alone.length);
      }),
      RUNS,
    );
  });

  it('packs for no more than a node for each pod, if there are none yet and nothing limits them', () => {
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

describe('the bound of a plan', () => {
  it('is never above its price, whatever runs already', () => {
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

  it('holds for a plan that puts every pod on a node of its own', () => {
    fc.assert(
      fc.property(anyCluster({ withRules: false, limited: false, isMoving: false }), (cluster) => {
        const bare = { ...cluster, nodes: [], claims: [] };
        const { bound, claims } = plan(bare);
        const alone = claims
          .flatMap(({ pods }) => pods)
          .map((key) => plan({ ...bare, pods: bare.pods.filter((pod) => podKey(pod) === key) }));

        expect(bound?.leastCostUsd ?? 0).toBeLessThanOrEqual(
          alone.reduce((total, one) => total + costUsd(one), 1e-9),
        );
      }),
      RUNS,
    );
  });
});

describe('the lower bound of a fleet', () => {
  it('is never above what a plan for an empty cluster costs', () => {
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

  it('is nothing without pods', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        expect(computeFleetBound({ ...cluster, pods: [] })).toBe(0);
      }),
      RUNS,
    );
  });
});
