import type { ProvisioningPlan } from '../../model/plans.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { createDeferredEntry, createPlan } from '../create-plan.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { type Solution, solve } from '../search/solve.ts';
import { findBrokenShare } from './broken-shares.ts';
import type { RemovalState } from './removal-state.ts';

type MayReceive = (node: ExistingNode) => boolean;

/**
 * Plans the pods of a node that is removed at any price: onto nodes that stay and as many new nodes
 * as they need.
 *
 * @param receivers - predicates of nodes that may take pods; the next one is used only if one leaves pods
 */
export function planWithoutNode(
  node: ExistingNode,
  pods: readonly Pod[],
  { problem }: RemovalState,
  receivers: readonly [MayReceive, ...MayReceive[]],
  decision: string,
): ProvisioningPlan {
  const [preferred, ...others] = receivers;
  const solveWith = (mayReceive: MayReceive): Solution =>
    solve(problem, pods, { without: [node.name], mayReceive });
  const plan = problem.work.tryWithin(WORK_LIMITS.attempt, () => {
    let solution = solveWith(preferred);
    for (const mayReceive of others)
      if (solution.unplaced.size > 0) solution = solveWith(mayReceive);
    const planned = createPlan(problem, pods, solution, decision);
    const removed = new Set([node.name]);
    if (!findBrokenShare({ removed, pods, ...planned }, problem)) return planned;
    // New nodes keep the share; nodes that exist may all be spot.
    return createPlan(
      problem,
      pods,
      solveWith(() => false),
      decision,
    );
  });
  if (plan) return plan;
  const unplaced = [createDeferredEntry(pods.map(podKey), problem.snapshot)];
  return { claims: [], placements: [], unplaced, hourlyUsd: 0 };
}
