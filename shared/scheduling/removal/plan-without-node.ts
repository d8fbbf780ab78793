import { EMPTY_PLAN, type ProvisioningPlan } from '../../model/plans.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { createDeferredEntry, createPlan } from '../create-plan.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { type Solution, solve } from '../search/solve.ts';
import { findBrokenShare } from './broken-shares.ts';
import type { RemovalState } from './removal-state.ts';
import { withoutPods } from './rollout-pods.ts';
import { type LaterNodes, solveBySuccessor } from './successor-node.ts';

type MayReceive = (node: ExistingNode) => boolean;

interface PlanOptions {
  /** Id of the decision; the new nodes are named after it. */
  readonly decision: string;
  /** True if the plan looks at many such nodes: their work is limited together. Default false. */
  readonly isOneOfMany?: boolean;
  /** Nodes that leave after it: one new node may be for their pods too. */
  readonly next?: LaterNodes;
}

const NONE_LATER: LaterNodes = { nodes: [], mayReceive: () => false };

/** True if nodes that are `isOneOfMany` have taken half of the operations that they may take together. */
export const isHalfOfWorkDone = ({ work }: Problem): boolean => work.spent() >= WORK_LIMITS.allReplacements / 2;

/**
 * Plans the pods of a node that is removed at any price: onto nodes that stay, else onto one new node in
 * its zone, else onto nodes that stay and as many new nodes as they need. Nodes that leave one after the
 * other would otherwise scatter the cluster: each time the cheapest nodes for their pods alone would be
 * launched, however small, and the pods of a spread would be divided among the zones.
 *
 * @param receivers - predicates of nodes that may take pods; the next one is used only if one leaves pods
 */
export function planWithoutNode(
  node: ExistingNode,
  pods: readonly Pod[],
  { problem }: RemovalState,
  receivers: readonly [MayReceive, ...MayReceive[]],
  { decision, isOneOfMany = false, next = NONE_LATER }: PlanOptions,
): ProvisioningPlan {
  const [preferred, ...others] = receivers;
  const solveWith = (mayReceive: MayReceive): Solution =>
    solve(problem, pods, { without: [node.name], mayReceive, ignoresPreferredTopology: true });
  const remaining = WORK_LIMITS.allReplacements - problem.work.spent();
  const limit = isOneOfMany ? Math.min(WORK_LIMITS.attempt, remaining) : WORK_LIMITS.attempt;
  const plan = problem.work.tryWithin(limit, () => {
    let solution = solveWith(preferred);
    for (const mayReceive of others) if (solution.unplaced.size > 0) solution = solveWith(mayReceive);
    const successor =
      solution.newNodes.length > 0 ? solveBySuccessor({ node, pods }, next, problem, preferred) : undefined;
    const planned = successor
      ? withoutPods(createPlan(problem, successor.pods, successor.solution, decision), successor.further)
      : createPlan(problem, pods, solution, decision);
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
  return { ...EMPTY_PLAN, unplaced };
}
