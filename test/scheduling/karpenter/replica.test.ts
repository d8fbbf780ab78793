import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { podsToPlace } from '../../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { solve } from '../../../shared/scheduling/search/solve.ts';
import { aNode, nodeLabels, resources } from '../../support/builders.ts';
import { foreseenOf } from '../../support/foreseen.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import {
  aCluster,
  aPool,
  asking,
  CAPACITY,
  fakeType,
  HOSTNAME,
  need,
  offering,
  several,
  to,
  Z1,
} from '../fixture.ts';

const apart = { podAntiAffinity: [to('web', HOSTNAME)] };

const node = (name: string, cpus: number) =>
  aNode({
    name,
    labels: nodeLabels({ [HOSTNAME]: name }),
    allocatable: resources(cpus, 8, { pods: 9 }),
  });

/** Pods that need a host each choose before the large ones, and take the room of one of them. */
const filled = aCluster({
  nodes: [node('a', 1), node('b', 1.5)],
  pods: [
    ...several(1, 'web', { ...apart, requests: asking(0.5) }),
    ...several(2, 'large', { requests: asking(1) }, {}),
  ],
});

/** Karpenter counts a node as the largest it could become, so that the third goes to the light pool. */
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
    pods: several(3, 'web', { ...apart, requests: asking(1) }),
  });
})();

/** The plan for a cluster, with what it would cost if Karpenter were not looked at. */
function planned(cluster: ClusterSnapshot): { plan: ProvisioningPlan; plainUsd: number } {
  const problem = prepare(cluster);
  const { costUsd, drafts } = solve(problem, podsToPlace(problem));
  const plan = planProvisioning(cluster, 'decision-1');
  expect(checkPlan(cluster, plan)).toEqual([]);
  return { plan, plainUsd: costUsd - drafts.length * problem.perNodeUsd };
}

describe("Karpenter's way", () => {
  it('is taken where it is cheaper', () => {
    const { plan, plainUsd } = planned(filled);

    expect(plainUsd).toBeGreaterThan(0);
    expect(foreseenOf(filled)).toEqual([{ pods: 3, hourlyUsd: 0 }]);
    expect(plan).toMatchObject({ hourlyUsd: 0, claims: [], unplaced: [] });
  });

  it('is not taken where it passes over a heavier pool that has room by our count', () => {
    const { plan, plainUsd } = planned(weighed);

    expect(foreseenOf(weighed)).toEqual([{ pods: 3, hourlyUsd: 2.5 }]);
    expect(plan).toMatchObject({ hourlyUsd: plainUsd, unplaced: [] });
    expect(plan.claims.map(({ claim }) => claim.pool)).toEqual(['heavy', 'heavy', 'heavy']);
  });
});
