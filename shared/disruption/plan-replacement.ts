import { formatReason, type Reason } from '../model/explanations/reasons.ts';
import type { DisruptionCommand, NodeVerdict } from '../model/plans.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { planWithoutNode } from '../scheduling/removal/plan-without-node.ts';
import { listDisplacedPods } from '../scheduling/removal/removal-state.ts';
import { formatRollout, listRolloutPods, withoutPods } from '../scheduling/removal/rollout-pods.ts';
import { haveRoom, type LeavingNode } from '../scheduling/removal/successor-node.ts';
import { type Candidate, toStaysVerdict } from './candidates.ts';
import type { ConsolidationState } from './consolidation/consolidation-state.ts';
import { handOnMemory } from './moves/launched-to-save.ts';

/** The replacement of a node that goes whatever it costs. */
export interface Replacement extends Pick<DisruptionCommand, 'reason' | 'repair'> {
  /** Id of the decision. */
  readonly decision: string;
  /** Why the node goes. */
  readonly goes: Reason;
  /** Nodes that leave after it: one new node may be for their pods too. */
  readonly next: readonly Candidate[];
  /** False for a node that will go as well: it receives pods at most if no other node can take them. */
  readonly isLasting: (node: ExistingNode) => boolean;
}

export interface PlannedReplacement {
  readonly command?: DisruptionCommand;
  readonly verdict: NodeVerdict;
}

/**
 * Plans where the pods of a node run when it is gone: on staying nodes and on any number of new nodes, at
 * any price.
 */
export function planReplacement(
  candidate: Candidate,
  state: ConsolidationState,
  { decision, goes, next, isLasting: lasts, ...about }: Replacement,
): PlannedReplacement {
  const { existingNode, claim, hourlyUsd } = candidate;
  const { problem } = state;
  const leaving = listDisplacedPods(existingNode, state);
  const rolloutPods = listRolloutPods(leaving, problem.snapshot.restarts);
  const batch = [...leaving, ...rolloutPods];
  const isStaying = ({ name }: ExistingNode): boolean => state.stayingNodes.has(name);
  // Pods on a drifted node would have to move twice; an unhealthy one may not run them.
  const isLasting = (other: ExistingNode): boolean => isStaying(other) && lasts(other);
  const isUnderWay = (other: ExistingNode): boolean => isStarting(other) && lasts(other);
  const toLeaving = (one: ExistingNode) => ({ node: one, pods: listDisplacedPods(one, state) });
  const underWay = findRoomUnderWay({ node: existingNode, pods: batch }, isLasting, isUnderWay, problem);
  if (underWay) return { verdict: toStaysVerdict(candidate, underWay) };
  const plan = withoutPods(
    planWithoutNode(existingNode, batch, state, about.reason === 'Drifted' ? [isLasting, isStaying] : [isLasting], {
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
    ...about,
    decidedAt: problem.snapshot.takenAt,
    candidates: [claim.name],
    replacements: handOnMemory(claim, plan.claims, problem.snapshot.takenAt),
    placements: plan.placements,
    savingHourlyUsd: hourlyUsd - plan.hourlyUsd,
  };
  return {
    command,
    verdict: { claim: claim.name, outcome: 'goes', reason: goes },
  };
}

const isStarting = ({ claim, initialized, leaving }: ExistingNode): boolean =>
  claim?.launch !== undefined && !initialized && !leaving;

/** Finds replacements under way that have room for the pods: the node waits for them. */
function findRoomUnderWay(
  leaving: LeavingNode,
  isLasting: (node: ExistingNode) => boolean,
  isUnderWay: (node: ExistingNode) => boolean,
  problem: Problem,
): Reason | undefined {
  const [first] = problem.existingNodes.filter(isUnderWay).flatMap(({ claim }) => claim ?? []);
  if (!first) return undefined;
  if (!haveRoom([leaving], (node) => isLasting(node) || isUnderWay(node), problem)) return undefined;
  if (haveRoom([leaving], isLasting, problem)) return undefined;
  const fields = { claim: first.name, effect: 'its node has room for the pods' };
  return { code: 'launch-under-way', fields };
}
