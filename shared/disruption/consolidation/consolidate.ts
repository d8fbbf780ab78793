import type { Reason } from '../../model/explanations/reasons.ts';
import type { Placement, PlannedClaim } from '../../model/plans.ts';
import {
  canOnlyRunOnSpot,
  computeReplacementUsdByPool,
  findCheapestReplacement,
} from '../../scheduling/removal/necessary-conditions.ts';
import { listDisplacedPods } from '../../scheduling/removal/removal-state.ts';
import { listRolloutPods, withoutPods } from '../../scheduling/removal/rollout-pods.ts';
import { type Removal, simulateRemoval } from '../../scheduling/removal/simulate-removal.ts';
import type { Candidate } from '../candidates.ts';
import { readMoveRules } from '../moves/price-of-moves.ts';
import {
  explainBrokenShare,
  explainMove,
  explainNotCheaper,
  explainPodsLeft,
  explainSpotForSpot,
  explainTooFewTypes,
  explainUnknownPrice,
  explainUnpriced,
  formatTargets,
  formatTypes,
  type OutcomeOf,
  type RemovedTogether,
} from './consolidation-reasons.ts';
import { type ConsolidationState, listPodsWithoutRoom, listReceivers } from './consolidation-state.ts';

export interface ConsolidationMove {
  readonly outcome: 'move';
  readonly replacements: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
  readonly savingHourlyUsd: number;
  /** The saving without the nodes for pods that the worst binding order displaces. */
  readonly minSavingHourlyUsd: number;
  readonly reason: Reason;
}

export type Consolidation = ConsolidationMove | StayOutcome;

interface StayOutcome {
  readonly outcome: 'stays';
  readonly reason: Reason;
}

/** The move is possible, but costs more than it saves soon enough. */
export interface UnpaidMove {
  readonly outcome: 'unpaid';
  /** A replacement costs at least this much; 0 if a removal without one does not pay back. */
  readonly replacementUsd: number;
}

/** A removal, with what it may launch. */
interface ConsolidationAttempt extends RemovedTogether {
  /** True if weights stand in for prices, so that no replacement is known to be cheaper. */
  readonly isUnpriced: boolean;
  /** Spot nodes are replaced by spot nodes only if the feature gate is on. */
  readonly mayBeSpotForSpot: boolean;
  /**
   * Nodes in several NodePools, for on-demand nodes only: otherwise spot could replace spot. Karpenter,
   * whose moves have no price, launches one node at most.
   */
  readonly mayLaunchSeveral: boolean;
  /** Karpenter keeps a node whose pods prefer more than one. */
  readonly mayKeepTogether: boolean;
  readonly state: ConsolidationState;
  readonly maxReplacementUsd: number;
  readonly decision: string;
}

/**
 * Checks if the cluster is cheaper without the candidates: their pods fit on remaining nodes
 * (delete), or need one new node that costs less than the candidates together (replace).
 *
 * @param candidates - at least one
 * @param maxReplacementUsd - with a more expensive replacement, in USD per hour, the move does not
 *   pay back; negative if it does not without a replacement either
 * @see Karpenter, multi-node and single-node consolidation
 */
export function consolidate(
  candidates: readonly Candidate[],
  state: ConsolidationState,
  maxReplacementUsd: number,
  decision: string,
): Consolidation | UnpaidMove {
  const { problem } = state;
  const unpriced = candidates.find(({ hourlyUsd }) => hourlyUsd === 0);
  if (unpriced) return stay(explainUnknownPrice(unpriced));
  if (maxReplacementUsd < 0) return unpaid(0);
  // Includes pods that are expected to bind to the candidates.
  const leaving = candidates.flatMap(({ existingNode }) => listDisplacedPods(existingNode, state));
  const rolloutPods = listRolloutPods(leaving, problem.snapshot.restarts);
  const havePrice = readMoveRules(problem.snapshot.settings) !== undefined;
  const attempt: ConsolidationAttempt = {
    candidates,
    batch: [...leaving, ...rolloutPods],
    rolloutPods,
    hourlyUsd: candidates.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0),
    mayBeSpotForSpot: problem.snapshot.settings?.gates.SpotToSpotConsolidation === true || !candidates.every(isSpot),
    isUnpriced: problem.snapshot.unpriced === true,
    mayLaunchSeveral: havePrice && !candidates.some(isSpot),
    mayKeepTogether: havePrice && candidates.length === 1,
    state,
    maxReplacementUsd,
    decision,
  };
  const mayBeReplaced = !attempt.isUnpriced && (attempt.mayBeSpotForSpot || !canOnlyRunOnSpot(attempt.batch, problem));
  return rejectQuickly(attempt, mayBeReplaced) ?? evaluateRemoval(attempt, mayBeReplaced);
}

/** Applies cheap necessary conditions. In a well-packed cluster they reject most candidates. */
function rejectQuickly(attempt: ConsolidationAttempt, mayBeReplaced: boolean): Consolidation | UnpaidMove | undefined {
  const { candidates, batch, hourlyUsd, mayLaunchSeveral, state, maxReplacementUsd } = attempt;
  const candidateNames = candidates.map(({ existingNode }) => existingNode.name);
  const podsWithoutRoom = listPodsWithoutRoom(batch, candidateNames, state);
  if (podsWithoutRoom.length === 0) return undefined;
  if (!mayBeReplaced) return stay(explainNoReplacement(attempt));
  const maxUsd = Math.min(hourlyUsd, maxReplacementUsd);
  if (mayLaunchSeveral && computeReplacementUsdByPool(podsWithoutRoom, state.problem) < maxUsd) return undefined;
  const cheapestNode = findCheapestReplacement(podsWithoutRoom, maxUsd, state.problem);
  // If no type fits at all, the full simulation reports which pod is the obstacle.
  if (cheapestNode.hourlyUsd === Infinity || cheapestNode.hourlyUsd < maxUsd) return undefined;
  return cheapestNode.hourlyUsd < hourlyUsd
    ? unpaid(cheapestNode.hourlyUsd)
    : stay(explainNotCheaper(attempt, cheapestNode.type, cheapestNode.hourlyUsd));
}

function evaluateRemoval(attempt: ConsolidationAttempt, mayLaunch: boolean): Consolidation | UnpaidMove {
  const { candidates, batch, mayBeSpotForSpot, mayLaunchSeveral, mayKeepTogether, state, maxReplacementUsd, decision } =
    attempt;
  const removal = {
    nodes: candidates.map(toRemovedNode),
    pods: batch,
    mayReceive: listReceivers(batch, state),
    mayLaunch,
    maySpotReplaceSpot: mayBeSpotForSpot,
    mayLaunchSeveral,
    mayKeepTogether,
    maxReplacementUsd,
    decision,
  };
  const outcome = simulateRemoval(removal, state);
  switch (outcome.outcome) {
    case 'pods-fit':
      return buildDeleteMove(attempt, outcome);
    case 'replaced':
      return buildReplaceMove(attempt, outcome);
    case 'pods-left':
      return stay(mayLaunch ? explainPodsLeft(outcome, attempt) : explainNoReplacement(attempt));
    case 'depends-on-order':
      return stay({ code: 'depends-on-order', fields: { pod: outcome.displaced } });
    case 'breaks-share':
      return stay(explainBrokenShare(outcome));
    case 'too-expensive':
      return unpaid(outcome.hourlyUsd);
    case 'spot-for-spot':
      return stay(explainSpotForSpot(attempt));
    case 'too-few-spot-types':
      return stay(explainTooFewTypes(attempt, outcome));
    case 'not-cheaper':
      return stay(explainNotCheaper(attempt, outcome.best, outcome.hourlyUsd));
  }
}

const explainNoReplacement = (attempt: ConsolidationAttempt): Reason =>
  attempt.isUnpriced ? explainUnpriced(attempt) : explainSpotForSpot(attempt);

const isSpot = ({ claim }: Candidate): boolean => claim.launch?.capacityType === 'spot';

const toRemovedNode = (candidate: Candidate): Removal['nodes'][number] => {
  const { existingNode, claim, hourlyUsd } = candidate;
  const instanceType = claim.launch?.instanceType;
  return {
    name: existingNode.name,
    ...(instanceType !== undefined && { instanceType }),
    isSpot: isSpot(candidate),
    hourlyUsd,
  };
};

function buildReplaceMove(attempt: ConsolidationAttempt, outcome: OutcomeOf<'replaced'>): ConsolidationMove {
  const { claims, placements, relaunchUsd } = withoutPods(outcome, attempt.rolloutPods);
  const launchedUsd = claims.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  const savingHourlyUsd = attempt.hourlyUsd - launchedUsd;
  return {
    outcome: 'move',
    replacements: claims,
    placements,
    savingHourlyUsd,
    minSavingHourlyUsd: savingHourlyUsd - relaunchUsd,
    reason: explainMove(attempt, formatTypes(claims), savingHourlyUsd),
  };
}

function buildDeleteMove(attempt: ConsolidationAttempt, outcome: OutcomeOf<'pods-fit'>): ConsolidationMove {
  const { hourlyUsd, rolloutPods, isUnpriced } = attempt;
  const { placements, relaunchUsd } = withoutPods(outcome, rolloutPods);
  return {
    outcome: 'move',
    replacements: [],
    placements,
    savingHourlyUsd: hourlyUsd,
    minSavingHourlyUsd: hourlyUsd - relaunchUsd,
    reason: explainMove(attempt, formatTargets(placements), isUnpriced ? undefined : hourlyUsd),
  };
}

const unpaid = (replacementUsd: number): UnpaidMove => ({ outcome: 'unpaid', replacementUsd });

const stay = (reason: Reason): StayOutcome => ({ outcome: 'stays', reason });
