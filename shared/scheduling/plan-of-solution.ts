import type { Placement, PlannedClaim, ProvisioningPlan, Unplaced } from '../model/plans.ts';
import { type Pod, podKey } from '../model/pod.ts';
import { claimNames, plannedClaim } from './claims/planned-claims.ts';
import { withDrafts } from './packing/with-drafts.ts';
import { type PodTaker, podTaker } from './pods/pod-classes.ts';
import type { Problem } from './input/problem.ts';
import { claimChoice } from './explanation/claim-choice.ts';
import { fixFinder } from './explanation/fixes.ts';
import { nodeRefusals } from './explanation/node-refusals.ts';
import { poolRefusals } from './explanation/pool-refusals.ts';
import { reservationsTaken } from './explanation/capacity-reasons.ts';
import type { Solution } from './search/solve.ts';
import { withSpotChoice } from './instance-types/claim-type-choice.ts';

/** Names the pods of a solution and gives its drafts the form that is stored. */
export function planOf(
  problem: Problem,
  batch: readonly Pod[],
  solution: Solution,
  decision: string,
): ProvisioningPlan {
  if (batch.length === 0) return { claims: [], placements: [], unplaced: [], hourlyUsd: 0 };
  const take = podTaker();
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
    const pods = [...draft.contents].flatMap(([{ cls }, count]) => take(cls, count));
    const wide = withSpotChoice(draft, problem);
    const name = nameOf(draft.template.pool.name, ordinal);
    const planned = plannedClaim(wide, pods, problem, decision, name);
    return planned ? [{ ...planned, choice: claimChoice(wide, problem) }] : [];
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
  const afterwards = withDrafts(problem, drafts);
  const fixFor = fixFinder(problem, plan);
  return [...unplaced].map(([cls, count]): Unplaced => {
    const pods = take(cls, count);
    const nodes = nodeRefusals(cls, topology, problem);
    if (waiting?.has(cls)) {
      return { pods, pools: reservationsTaken(plan.claims, problem), nodes, waits: true };
    }
    const pools = poolRefusals(cls, topology, afterwards);
    const keys = new Set(pods);
    const fix = fixFor(
      batch.filter((pod) => keys.has(podKey(pod))),
      pools,
    );
    return { pods, pools, nodes, ...(fix && { fix }) };
  });
}
