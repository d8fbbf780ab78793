import type { NodePool } from '../../model/nodes/node-pool.ts';
import { isReschedulable } from '../../model/pods/disruption-pods.ts';
import type { EpochMs } from '../../model/time.ts';
import type { BudgetTracker, FindPace } from '../budgets.ts';
import { byClaimName, type Candidate, type DisruptionInput } from '../candidates.ts';
import { isWithinConsolidateAfter } from '../obstacles.ts';
import { spreadMoves } from '../window-pace.ts';

/**
 * Spreads consolidations over a window that has just opened. All nodes with pods that are old enough
 * count as waiting: only the evaluation of a move tells whether a node can be moved.
 */
export function spreadConsolidation({ problem, pools }: DisruptionInput): FindPace {
  const { existingNodes, snapshot } = problem;
  const countWaiting = ({ name }: NodePool): number =>
    existingNodes.filter(
      (existingNode) =>
        existingNode.claim?.pool === name &&
        existingNode.claim.initializedAt !== undefined &&
        existingNode.pods.some(isReschedulable) &&
        !isWithinConsolidateAfter(existingNode, pools, snapshot.takenAt),
    ).length;
  return spreadMoves('Underutilized', snapshot.takenAt, countWaiting);
}

/** While moves of a pool are spread, its nodes come first, by the time that they have waited. */
export function longestWaitingFirst(candidates: readonly Candidate[], budgets: BudgetTracker): readonly Candidate[] {
  const isSpread = ({ pool }: Candidate): boolean => budgets.isSpread(pool);
  const spread = candidates.filter(isSpread);
  if (spread.length === 0) return candidates;
  return [
    ...spread.toSorted((a, b) => findWaitStart(a) - findWaitStart(b) || byClaimName(a, b)),
    ...candidates.filter((candidate) => !isSpread(candidate)),
  ];
}

/** The last time that pods came or went. Nodes of one pool have the same `consolidateAfter`. */
const findWaitStart = ({ claim }: Candidate): EpochMs => claim.lastPodEventAt ?? claim.initializedAt ?? claim.createdAt;
