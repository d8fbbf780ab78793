import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { listPodsToPlace } from '../../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { solve } from '../../../shared/scheduling/search/solve.ts';
import { aNode, nodeLabels, resources } from '../../support/builders.ts';
import { simulateKarpenterFor } from '../../support/simulated-karpenter.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  CAPACITY,
  createPods,
  fakeType,
  HOSTNAME,
  need,
  offering,
  requesting,
  Z1,
} from '../support/fixture.ts';

const apart = { podAntiAffinity: [affinityTo('web', HOSTNAME)] };

const node = (name: string, cpus: number) =>
  aNode({
    name,
    labels: nodeLabels({ [HOSTNAME]: name }),
    allocatable: resources(cpus, 8, { pods: 9 }),
  });

/**
 * Our planner first places the pods that need separate hosts, and uses room that a large pod needs.
 */
const filled = aCluster({
  nodes: [node('a', 1), node('b', 1.5)],
  pods: [
    ...createPods(1, 'web', { ...apart, requests: requesting(0.5) }),
    ...createPods(2, 'large', { requests: requesting(1) }, {}),
  ],
});

/**
 * Karpenter charges limits with the largest type of a node, so that the third pod goes to the
 * lighter pool.
 */
const weighed = (() => {
  const small = fakeType('small', { cpus: 2, gib: 4 });
  const large = fakeType('large', { cpus: 8, gib: 16 });
  const heavy = { weight: 10, limits: { cpu: 10_000 } };
  return aCluster({
    types: [small, large],
    priced: [
      offering(small, 'on-demand', Z1, 1),
      offering(large, 'on-demand', Z1, 4),
      offering(small, 'spot', Z1, 0.5),
    ],
    pools: [
      aPool({ name: 'heavy', ...heavy, requirements: [need(CAPACITY, 'In', 'on-demand')] }),
      aPool({ name: 'light' }),
    ],
    pods: createPods(3, 'web', { ...apart, requests: requesting(1) }),
  });
})();

/** Plans the cluster, and computes the price of our packing without a simulation of Karpenter. */
function planned(cluster: ClusterSnapshot): { plan: ProvisioningPlan; plainUsd: number } {
  const problem = prepare(cluster);
  const { costUsd, newNodes } = solve(problem, listPodsToPlace(problem));
  const plan = planProvisioning(cluster, 'decision-1');
  expect(checkPlan(cluster, plan)).toEqual([]);
  return { plan, plainUsd: costUsd - newNodes.length * DEFAULT_SETTINGS.perNodeHourlyUsd };
}

describe('adoptBetterKarpenterPlan', () => {
  it("adopts Karpenter's plan if it is cheaper", () => {
    const { plan, plainUsd } = planned(filled);

    expect(plainUsd).toBeGreaterThan(0);
    expect(simulateKarpenterFor(filled)).toEqual([{ pods: 3, hourlyUsd: 0 }]);
    expect(plan).toMatchObject({ hourlyUsd: 0, claims: [], unplaced: [] });
  });

  it("keeps our plan if Karpenter's plan passes over a heavier pool that has room", () => {
    const { plan, plainUsd } = planned(weighed);

    expect(simulateKarpenterFor(weighed)).toEqual([{ pods: 3, hourlyUsd: 2.5 }]);
    expect(plan).toMatchObject({ hourlyUsd: plainUsd, unplaced: [] });
    expect(plan.claims.map(({ claim }) => claim.pool)).toEqual(['heavy', 'heavy', 'heavy']);
  });
});
