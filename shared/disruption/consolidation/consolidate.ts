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
import { type Outlook, withoutRoom } from './consolidation-state.ts';

export interface Move {
  readonly outcome: 'move';
  readonly replacements: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
  readonly savingHourlyUsd: number;
  readonly reason: Reason;
}

export type Consolidation = Move | { readonly outcome: 'stays'; readonly reason: Reason };

/** Nodes that would go together, and all that is asked of them. */
interface Question {
  readonly candidates: readonly Candidate[];
  readonly batch: readonly Pod[];
  readonly hourlyUsd: number;
  /** Spot is replaced by spot only on request. */
  readonly mayBeSpotForSpot: boolean;
  readonly outlook: Outlook;
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
  outlook: Outlook,
  decision: string,
): Consolidation {
  const { problem } = outlook;
  const unpriced = candidates.find(({ hourlyUsd }) => hourlyUsd === 0);
  if (unpriced) return unknownPrice(unpriced);
  const question: Question = {
    candidates,
    // Pods that wait for these very nodes would be left without a place as well.
    batch: candidates.flatMap(({ bin }) => listDisplacedPods(bin, outlook)),
    hourlyUsd: candidates.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0),
    mayBeSpotForSpot:
      problem.snapshot.settings?.gates.SpotToSpotConsolidation === true ||
      !candidates.every(isSpot),
    outlook,
    decision,
  };
  const mayBeReplaced = question.mayBeSpotForSpot || !canOnlyRunOnSpot(question.batch, problem);
  return quickNo(question, mayBeReplaced) ?? lookClosely(question, mayBeReplaced);
}

/** In a cluster that is packed well it answers for most nodes. */
function quickNo(question: Question, mayBeReplaced: boolean): Consolidation | undefined {
  const { candidates, batch, hourlyUsd, outlook } = question;
  const going = candidates.map(({ bin }) => bin.name);
  const homeless = withoutRoom(batch, going, outlook);
  if (homeless.length === 0) return undefined;
  if (!mayBeReplaced) return spotForSpot(question);
  const least = findCheapestReplacement(homeless, hourlyUsd, outlook.problem);
  // Without any node to replace it, the full look says which pod is in the way.
  if (least.hourlyUsd === Infinity || least.hourlyUsd < hourlyUsd) return undefined;
  return notCheaper(question, least.type, least.hourlyUsd);
}

function lookClosely(question: Question, mayLaunch: boolean): Consolidation {
  const { candidates, batch, mayBeSpotForSpot, outlook, decision } = question;
  const removal = {
    nodes: candidates.map(toRemovedNode),
    pods: batch,
    mayReceive: outlook.mayReceive,
    mayLaunch,
    maySpotReplaceSpot: mayBeSpotForSpot,
    decision,
  };
  const found = simulateRemoval(removal, outlook);
  switch (found.outcome) {
    case 'pods-fit':
      return moveWithoutNode(question, found.placements);
    case 'replaced':
      return moveToNewNode(question, found);
    case 'pods-left':
      return mayLaunch ? podsDoNotFit(found, batch.length) : spotForSpot(question);
    case 'spot-for-spot':
      return spotForSpot(question);
    case 'too-few-spot-types':
      return tooFewTypes(question, found);
    case 'not-cheaper':
      return notCheaper(question, found.best, found.hourlyUsd);
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
  question: Question,
  { claims, cheapest, placements }: OutcomeOf<'replaced'>,
): Move {
  const savingHourlyUsd = question.hourlyUsd - cheapest.hourlyUsd;
  return {
    outcome: 'move',
    replacements: claims,
    placements,
    savingHourlyUsd,
    reason: underutilized(question, cheapest.instanceType, savingHourlyUsd),
  };
}

function moveWithoutNode(question: Question, placements: readonly Placement[]): Move {
  const { hourlyUsd } = question;
  return {
    outcome: 'move',
    replacements: [],
    placements,
    savingHourlyUsd: hourlyUsd,
    reason: underutilized(question, targetsText(placements), hourlyUsd),
  };
}

type Stays = Extract<Consolidation, { outcome: 'stays' }>;

const stays = (reason: Reason): Stays => ({ outcome: 'stays', reason });

const nameOf = ({ candidates }: Question): string =>
  candidates.map(({ claim }) => claim.name).join(', ');

const spotForSpot = (question: Question): Stays =>
  stays({ code: 'spot-to-spot-disabled', fields: { claim: nameOf(question) } });

const tooFewTypes = (
  question: Question,
  { found, needed }: OutcomeOf<'too-few-spot-types'>,
): Stays =>
  stays({
    code: 'spot-diversity',
    fields: { claim: nameOf(question), found: `${found}`, required: `${needed}` },
  });

function podsDoNotFit({ count, first, reason }: OutcomeOf<'pods-left'>, moving: number): Stays {
  const fields = {
    count: `${count} of ${moving}`,
    first: first ?? '',
    firstReason: reason ? reasonText(reason) : 'no room',
  };
  return stays({ code: 'pods-do-not-fit', fields });
}

function underutilized(question: Question, target: string, saving: number): Reason {
  const savingUsd = saving.toFixed(4);
  const others = question.candidates.length - 1;
  return others === 0
    ? { code: 'underutilized', fields: { claim: nameOf(question), target, savingUsd } }
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

function notCheaper(question: Question, best: string, bestUsd: number): Stays {
  const fields = {
    claim: nameOf(question),
    alternative: best,
    hourlyUsd: bestUsd < Infinity ? bestUsd.toFixed(4) : '–',
    currentUsd: question.hourlyUsd.toFixed(4),
  };
  return stays({ code: 'no-cheaper-replacement', fields });
}
