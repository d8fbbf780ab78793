import { type Reason, reasonText } from '../../model/explanations/reasons.ts';
import { formatOffering } from '../../model/offerings/instance-type.ts';
import type { Placement, PlannedClaim } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { RemovedNode } from '../../scheduling/packing/new-nodes/cheaper-node.ts';
import {
  canOnlyRunOnSpot,
  findCheapestReplacement,
  listDisplacedPods,
  type RemovalOutcome,
  simulateRemoval,
} from '../../scheduling/simulate-removal.ts';
import type { Candidate } from '../candidates.ts';
import { type ConsolidationState, listPodsWithoutRoom } from './consolidation-state.ts';

export interface ConsolidationMove {
  readonly outcome: 'move';
  readonly replacements: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
  readonly savingHourlyUsd: number;
  readonly reason: Reason;
}

export type Consolidation =
  | ConsolidationMove
  | { readonly outcome: 'stays'; readonly reason: Reason };

/** Nodes that would go together, and all that is asked of them. */
interface ConsolidationAttempt {
  readonly candidates: readonly Candidate[];
  readonly batch: readonly Pod[];
  readonly hourlyUsd: number;
  /** Spot is replaced by spot only on request. */
  readonly mayBeSpotForSpot: boolean;
  readonly state: ConsolidationState;
  readonly decision: string;
}

/**
 * Whether the cluster is cheaper without the candidates: their pods fit on nodes that stay (delete),
 * or with the help of one node that costs less than they do together (replace).
 *
 * @param candidates - at least one
 * @see Karpenter, multi-node and single-node consolidation
 */
export function consolidate(
  candidates: readonly Candidate[],
  state: ConsolidationState,
  decision: string,
): Consolidation {
  const { problem } = state;
  const unpriced = candidates.find(({ hourlyUsd }) => hourlyUsd === 0);
  if (unpriced) return unknownPrice(unpriced);
  const attempt: ConsolidationAttempt = {
    candidates,
    // Pods that wait for these very nodes would be left without a place as well.
    batch: candidates.flatMap(({ bin }) => listDisplacedPods(bin, state)),
    hourlyUsd: candidates.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0),
    mayBeSpotForSpot:
      problem.snapshot.settings?.gates.SpotToSpotConsolidation === true ||
      !candidates.every(isSpot),
    state,
    decision,
  };
  const mayBeReplaced = attempt.mayBeSpotForSpot || !canOnlyRunOnSpot(attempt.batch, problem);
  return rejectQuickly(attempt, mayBeReplaced) ?? lookClosely(attempt, mayBeReplaced);
}

/** In a cluster that is packed well it answers for most nodes. */
function rejectQuickly(
  attempt: ConsolidationAttempt,
  mayBeReplaced: boolean,
): Consolidation | undefined {
  const { candidates, batch, hourlyUsd, state } = attempt;
  const going = candidates.map(({ bin }) => bin.name);
  const homeless = listPodsWithoutRoom(batch, going, state);
  if (homeless.length === 0) return undefined;
  if (!mayBeReplaced) return spotForSpot(attempt);
  const least = findCheapestReplacement(homeless, hourlyUsd, state.problem);
  // Without any node to replace it, the full look says which pod is in the way.
  if (least.hourlyUsd === Infinity || least.hourlyUsd < hourlyUsd) return undefined;
  return notCheaper(attempt, least.type, least.hourlyUsd);
}

function lookClosely(attempt: ConsolidationAttempt, mayLaunch: boolean): Consolidation {
  const { candidates, batch, mayBeSpotForSpot, state, decision } = attempt;
  const removal = {
    nodes: candidates.map(toRemovedNode),
    pods: batch,
    mayReceive: state.receivers,
    mayLaunch,
    maySpotReplaceSpot: mayBeSpotForSpot,
    decision,
  };
  const found = simulateRemoval(removal, state);
  switch (found.outcome) {
    case 'pods-fit':
      return moveWithoutNode(attempt, found.placements);
    case 'replaced':
      return moveToNewNode(attempt, found);
    case 'pods-left':
      return mayLaunch ? podsDoNotFit(found, batch.length) : spotForSpot(attempt);
    case 'spot-for-spot':
      return spotForSpot(attempt);
    case 'too-few-spot-types':
      return tooFewTypes(attempt, found);
    case 'not-cheaper':
      return notCheaper(attempt, found.best, found.hourlyUsd);
  }
}

const isSpot = ({ claim }: Candidate): boolean => claim.launch?.capacityType === 'spot';

const toRemovedNode = (candidate: Candidate): RemovedNode => {
  const { bin, claim, hourlyUsd } = candidate;
  const instanceType = claim.launch?.instanceType;
  return {
    name: bin.name,
    ...(instanceType !== undefined && { instanceType }),
    isSpot: isSpot(candidate),
    hourlyUsd,
  };
};

type OutcomeOf<Kind extends RemovalOutcome['outcome']> = Extract<RemovalOutcome, { outcome: Kind }>;

function moveToNewNode(
  attempt: ConsolidationAttempt,
  { claims, cheapest, placements }: OutcomeOf<'replaced'>,
): ConsolidationMove {
  const savingHourlyUsd = attempt.hourlyUsd - cheapest.hourlyUsd;
  return {
    outcome: 'move',
    replacements: claims,
    placements,
    savingHourlyUsd,
    reason: underutilized(attempt, cheapest.instanceType, savingHourlyUsd),
  };
}

function moveWithoutNode(
  attempt: ConsolidationAttempt,
  placements: readonly Placement[],
): ConsolidationMove {
  const { hourlyUsd } = attempt;
  return {
    outcome: 'move',
    replacements: [],
    placements,
    savingHourlyUsd: hourlyUsd,
    reason: underutilized(attempt, targetsText(placements), hourlyUsd),
  };
}

type Stays = Extract<Consolidation, { outcome: 'stays' }>;

const stays = (reason: Reason): Stays => ({ outcome: 'stays', reason });

const nameOf = ({ candidates }: ConsolidationAttempt): string =>
  candidates.map(({ claim }) => claim.name).join(', ');

const spotForSpot = (attempt: ConsolidationAttempt): Stays =>
  stays({ code: 'spot-to-spot-disabled', fields: { claim: nameOf(attempt) } });

const tooFewTypes = (
  attempt: ConsolidationAttempt,
  { found, needed }: OutcomeOf<'too-few-spot-types'>,
): Stays =>
  stays({
    code: 'spot-diversity',
    fields: { claim: nameOf(attempt), found: `${found}`, required: `${needed}` },
  });

function podsDoNotFit({ count, first, reason }: OutcomeOf<'pods-left'>, moving: number): Stays {
  const fields = {
    count: `${count} of ${moving}`,
    first: first ?? '',
    firstReason: reason ? reasonText(reason) : 'no room',
  };
  return stays({ code: 'pods-do-not-fit', fields });
}

function underutilized(attempt: ConsolidationAttempt, target: string, saving: number): Reason {
  const savingUsd = saving.toFixed(4);
  const others = attempt.candidates.length - 1;
  return others === 0
    ? { code: 'underutilized', fields: { claim: nameOf(attempt), target, savingUsd } }
    : { code: 'underutilized-together', fields: { others: `${others}`, target, savingUsd } };
}

const MOST_TARGETS = 3;

/** `a, b, c and 4 more`. */
function targetsText(placements: readonly Placement[]): string {
  const names = placements.map(({ target }) => target);
  const rest = names.length - MOST_TARGETS;
  const first = names.slice(0, MOST_TARGETS).join(', ');
  return rest > 0 ? `${first} and ${rest} more` : first || 'nowhere';
}

const unknownPrice = ({ claim: { name, launch } }: Candidate): Stays => {
  const what = launch ? `the price of ${formatOffering(launch)}` : `the instance of ${name}`;
  return stays({ code: 'state-incomplete', fields: { what, limit: 'the catalogue' } });
};

function notCheaper(attempt: ConsolidationAttempt, best: string, bestUsd: number): Stays {
  const fields = {
    claim: nameOf(attempt),
    alternative: best,
    hourlyUsd: bestUsd < Infinity ? bestUsd.toFixed(4) : '–',
    currentUsd: attempt.hourlyUsd.toFixed(4),
  };
  return stays({ code: 'no-cheaper-replacement', fields });
}
