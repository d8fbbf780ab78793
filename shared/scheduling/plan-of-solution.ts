import type { Placement, PlannedClaim, ProvisioningPlan, Unplaced } from '../model/plans.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import { widenSpotChoice } from './claims/claim-type-choice.ts';
import { claimNames, plannedClaim } from './claims/planned-claims.ts';
import { createReservationRefusals } from './explanation/capacity-reasons.ts';
import { explainClaimChoice } from './explanation/claim-choice.ts';
import { createFixFinder } from './explanation/fixes.ts';
import { explainNodeRefusals } from './explanation/node-refusals.ts';
import { explainPoolRefusals } from './explanation/pool-refusals.ts';
import type { Problem } from './input/problem.ts';
import { withUsageOf } from './packing/new-nodes/packing-state.ts';
import { createPodTaker, type PodTaker } from './pods/pod-classes.ts';
import type { Solution } from './search/solve.ts';

/** Names the pods of a solution and gives its drafts the form that is stored. */
export function planOf(
  problem: Problem,
  batch: readonly Pod[],
  solution: Solution,
  decision: string,
): ProvisioningPlan {
  if (batch.length === 0) return { claims: [], placements: [], unplaced: [], hourlyUsd: 0 };
  const take = createPodTaker();
  const nameOf = claimNames(
    decision,
    problem.snapshot.claims.map(({ name }) => name),
  );
  const placements = [...solution.placed].map(
    ([bin, counts]): Placement => ({
      target: bin.name,
      pods: [...counts].flatMap(([cls, count]) => take(cls, count)),
    }),
  );
  const claims = solution.drafts.flatMap((draft, ordinal): PlannedClaim[] => {
    const pods = [...draft.podCounts].flatMap(([{ cls }, count]) => take(cls, count));
    const wide = widenSpotChoice(draft, problem);
    const name = nameOf(draft.template.pool.name, ordinal);
    const planned = plannedClaim(wide, pods, problem, decision, name);
    return planned ? [{ ...planned, choice: explainClaimChoice(wide, problem) }] : [];
  });
  const unplaced = unplacedOf(problem, batch, solution, { claims, placements }, take);
  const hourlyUsd = claims.reduce((total, { cheapest }) => total + cheapest.hourlyUsd, 0);
  return { claims, placements, unplaced, hourlyUsd };
}

/** Each class that found no place, with why, and what would help. */
function unplacedOf(
  problem: Problem,
  batch: readonly Pod[],
  { drafts, unplaced, waiting, topology }: Solution,
  plan: Pick<ProvisioningPlan, 'claims' | 'placements'>,
  take: PodTaker,
): readonly Unplaced[] {
  const afterwards = withUsageOf(problem, drafts);
  const fixFor = createFixFinder(problem, plan);
  return [...unplaced].map(([cls, count]): Unplaced => {
    const pods = take(cls, count);
    const nodes = explainNodeRefusals(cls, topology, problem);
    if (waiting?.has(cls)) {
      return { pods, pools: createReservationRefusals(plan.claims, problem), nodes, waits: true };
    }
    const pools = explainPoolRefusals(cls, topology, afterwards);
    const keys = new Set(pods);
    const fix = fixFor(
      batch.filter((pod) => keys.has(podKey(pod))),
      pools,
    );
    return { pods, pools, nodes, ...(fix && { fix }) };
  });
}
