import { formatReason, type Reason } from '../../model/explanations/reasons.ts';
import { shortHash } from '../../model/hash.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import type { ExistingNode } from '../../scheduling/input/existing-nodes.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import { isHalfOfWorkDone, planWithoutNode } from '../../scheduling/removal/plan-without-node.ts';
import { listDisplacedPods } from '../../scheduling/removal/removal-state.ts';
import { formatRollout, listRolloutPods, withoutPods } from '../../scheduling/removal/rollout-pods.ts';
import { haveRoom, type LeavingNode } from '../../scheduling/removal/successor-node.ts';
import { createBudgetTracker } from '../budgets.ts';
import { type DisruptionInput, listLeavingClaims, toStaysVerdict } from '../candidates.ts';
import { type ConsolidationState, createConsolidationState } from '../consolidation/consolidation-state.ts';
import { handOnMemory } from '../moves/launched-to-save.ts';
import { createRolloutGuard } from '../rollout/rollout-guard.ts';
import { type DriftedNode, findDriftBackoff, listDriftedNodes, spreadDrift, toDriftedReason } from './drifted-nodes.ts';

/**
 * Plans the replacement of the next drifted node: nodes without pods first, then by age of the
 * drift. Its pods may move to staying nodes and to any number of new nodes, at any price.
 *
 * @see Karpenter, drift
 */
export function planDrift(input: DisruptionInput): DisruptionPlan {
  const { problem, busy, decision } = input;
  const verdicts: NodeVerdict[] = [];
  const drifted = listDriftedNodes(input, verdicts, ({ replicas }) => replicas === undefined);
  const budgets = createBudgetTracker(
    problem.existingNodes,
    'Drifted',
    busy,
    problem.snapshot.takenAt,
    spreadDrift(input),
  );
  const guard = createRolloutGuard(input);
  let state: ConsolidationState | undefined;
  for (const candidate of orderFairly(drifted, problem)) {
    const poolRefusal = budgets.refusalFor(candidate.pool) ?? findDriftBackoff(candidate, input);
    const refusal = poolRefusal ?? guard(candidate.claim, input.running);
    if (refusal) {
      verdicts.push(toStaysVerdict(candidate, refusal));
      continue;
    }
    state ??= createConsolidationState(problem, listLeavingClaims(input));
    const next = drifted.slice(drifted.indexOf(candidate) + 1);
    const replacement = planReplacement(candidate, next, state, decision);
    verdicts.push(replacement.verdict);
    if (replacement.command) return { command: replacement.command, verdicts };
  }
  return { verdicts };
}

/**
 * Yields the nodes in their order until half of the work is done, and then the others in an order that
 * differs from plan to plan: nodes that cannot be replaced, again and again, do not starve the others.
 */
function* orderFairly(drifted: readonly DriftedNode[], problem: Problem): Generator<DriftedNode> {
  const { takenAt } = problem.snapshot;
  for (const [index, node] of drifted.entries()) {
    if (isHalfOfWorkDone(problem))
      return yield* drifted
        .slice(index)
        .map((one) => ({ one, randomKey: shortHash(`${takenAt} ${one.claim.name}`) }))
        .toSorted((a, b) => (a.randomKey < b.randomKey ? -1 : 1))
        .map(({ one }) => one);
    yield node;
  }
}

interface ReplacementPlan {
  readonly command?: DisruptionCommand;
  readonly verdict: NodeVerdict;
}

function planReplacement(
  candidate: DriftedNode,
  next: readonly DriftedNode[],
  state: ConsolidationState,
  decision: string,
): ReplacementPlan {
  const { existingNode, claim, hourlyUsd } = candidate;
  const { problem } = state;
  const leaving = listDisplacedPods(existingNode, state);
  const rolloutPods = listRolloutPods(leaving, problem.snapshot.restarts);
  const batch = [...leaving, ...rolloutPods];
  const isStaying = ({ name }: ExistingNode): boolean => state.stayingNodes.has(name);
  // Drifted nodes receive pods only if no other node can take them: the pods would have to move
  // twice.
  const isLasting = (other: ExistingNode): boolean => isStaying(other) && other.claim?.drift === undefined;
  const toLeaving = (one: ExistingNode) => ({ node: one, pods: listDisplacedPods(one, state) });
  const underWay = findRoomUnderWay({ node: existingNode, pods: batch }, isLasting, problem);
  if (underWay) return { verdict: toStaysVerdict(candidate, underWay) };
  const plan = withoutPods(
    planWithoutNode(existingNode, batch, state, [isLasting, isStaying], {
      decision,
      isOneOfMany: true,
      next: {
        nodes: next.map((one) => toLeaving(one.existingNode)),
        mayReceive: (other) => isLasting(other) || isUnderWay(other),
      },
    }),
    rolloutPods,
  );
  const [unplaced] = plan.unplaced;
  if (unplaced) {
    const reason = unplaced.pools[0]?.reasons[0];
    const fields = {
      count: `${plan.unplaced.reduce((sum, { pods }) => sum + pods.length, 0)} of ${batch.length}`,
      ...formatRollout(rolloutPods),
      first: unplaced.pods[0] ?? '',
      firstReason: reason ? formatReason(reason) : 'no room',
    };
    return { verdict: toStaysVerdict(candidate, { code: 'pods-do-not-fit', fields }) };
  }
  const command: DisruptionCommand = {
    id: decision,
    reason: 'Drifted',
    decidedAt: problem.snapshot.takenAt,
    candidates: [claim.name],
    replacements: handOnMemory(claim, plan.claims),
    placements: plan.placements,
    savingHourlyUsd: hourlyUsd - plan.hourlyUsd,
  };
  return {
    command,
    verdict: { claim: claim.name, outcome: 'goes', reason: toDriftedReason(candidate) },
  };
}

const isUnderWay = ({ claim, initialized, leaving }: ExistingNode): boolean =>
  claim?.launch !== undefined && claim.drift === undefined && !initialized && !leaving;

/** Finds replacements under way that have room for the pods: the node waits for them. */
function findRoomUnderWay(
  leaving: LeavingNode,
  isLasting: (node: ExistingNode) => boolean,
  problem: Problem,
): Reason | undefined {
  const [first] = problem.existingNodes.filter(isUnderWay).flatMap(({ claim }) => claim ?? []);
  if (!first) return undefined;
  if (!haveRoom([leaving], (node) => isLasting(node) || isUnderWay(node), problem)) return undefined;
  if (haveRoom([leaving], isLasting, problem)) return undefined;
  const fields = { claim: first.name, effect: 'its node has room for the pods' };
  return { code: 'launch-under-way', fields };
}
