import { formatOffering } from '../model/instance-type.ts';
import type { Placement, PlannedClaim } from '../model/plans.ts';
import type { Pod } from '../model/pod.ts';
import { type Reason, reasonText } from '../model/reasons.ts';
import { type AssignedBatch, assignBatch } from '../scheduling/assignment/assign-batch.ts';
import { cheapestType, type Draft } from '../scheduling/packing/new-nodes/packing-state.ts';
import { packOntoOne } from '../scheduling/packing/new-nodes/single-node.ts';
import { planOf } from '../scheduling/plan-of-solution.ts';
import { podsToMove } from '../scheduling/input/plan-batch.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { poolRefusals } from '../scheduling/explanation/pool-refusals.ts';
import type { Solution } from '../scheduling/search/solve.ts';
import type { Candidate } from './candidates.ts';
import {
  allowsSpot,
  cheaperSpot,
  cheaperThan,
  isSpot,
  SPOT_TYPES_NEEDED,
  totalUsd,
} from './cheaper-draft.ts';
import { leastReplacement, type Outlook, waysOf, withoutRoom } from './outlook.ts';

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
    batch: candidates.flatMap(({ bin }) => [
      ...podsToMove(bin, problem),
      ...(outlook.awaited.get(bin.name) ?? []),
    ]),
    hourlyUsd: totalUsd(candidates),
    mayBeSpotForSpot:
      problem.snapshot.settings?.gates.SpotToSpotConsolidation === true ||
      !candidates.every(isSpot),
    outlook,
    decision,
  };
  const mayBeReplaced = question.mayBeSpotForSpot || !onlyFitsSpot(question.batch, problem);
  return quickNo(question, mayBeReplaced) ?? lookClosely(question, mayBeReplaced);
}

/** In a cluster that is packed well it answers for most nodes. */
function quickNo(question: Question, mayBeReplaced: boolean): Consolidation | undefined {
  const { candidates, batch, hourlyUsd, outlook } = question;
  const going = candidates.map(({ bin }) => bin.name);
  const homeless = withoutRoom(batch, going, outlook);
  if (homeless.length === 0) return undefined;
  if (!mayBeReplaced) return spotForSpot(question);
  const least = leastReplacement(homeless, hourlyUsd, outlook.problem);
  // Without any node to replace it, the full look says which pod is in the way.
  if (least.hourlyUsd === Infinity || least.hourlyUsd < hourlyUsd) return undefined;
  return notCheaper(question, least.type, least.hourlyUsd);
}

function lookClosely(question: Question, mayBeReplaced: boolean): Consolidation {
  const { candidates, batch, outlook } = question;
  const assigned = assignBatch(outlook.problem, batch, {
    without: candidates.map(({ bin }) => bin.name),
    mayReceive: (other) => outlook.mayReceive.has(other.name),
    newNodes: mayBeReplaced,
  });
  if (assigned.stuck.size > 0) {
    return mayBeReplaced ? noPlace(assigned, batch.length) : spotForSpot(question);
  }
  if (assigned.units.length === 0) return removal(question, assigned);

  const draft = packOntoOne(assigned.problem, assigned.units);
  if (!draft) return notCheaper(question, 'more than one node', Infinity);
  const cheaper = cheaperNode(question, draft);
  return 'outcome' in cheaper ? cheaper : replacement(question, assigned, cheaper);
}

/** The draft with what pays, or why nothing does. */
function cheaperNode(
  question: Question,
  draft: Draft,
): Draft | Extract<Consolidation, { outcome: 'stays' }> {
  const { candidates, mayBeSpotForSpot, outlook } = question;
  const { problem } = outlook;
  if (candidates.every(isSpot) && allowsSpot(draft)) {
    if (!mayBeSpotForSpot) return spotForSpot(question);
    const found = cheaperSpot(candidates, draft, problem);
    if (found.outcome === 'replaced') return found.draft;
    if (found.outcome === 'too-few') return tooFewTypes(question, found.found);
  } else {
    const cheaper = cheaperThan(candidates, draft, problem);
    if (cheaper) return cheaper;
  }
  const best = cheapestType(draft, problem);
  return notCheaper(question, problem.index.types[best.type]?.name ?? '', best.hourlyUsd);
}

function replacement(question: Question, assigned: AssignedBatch, draft: Draft): Consolidation {
  const { batch, decision, hourlyUsd } = question;
  const plan = planOf(assigned.problem, batch, solutionOf(assigned, [draft]), decision);
  const [planned] = plan.claims;
  if (!planned) return notCheaper(question, 'none on offer', Infinity);
  const savingHourlyUsd = hourlyUsd - planned.cheapest.hourlyUsd;
  return {
    outcome: 'move',
    replacements: plan.claims,
    placements: plan.placements,
    savingHourlyUsd,
    reason: underutilized(question, planned.cheapest.instanceType, savingHourlyUsd),
  };
}

type Stays = Extract<Consolidation, { outcome: 'stays' }>;

const stays = (reason: Reason): Stays => ({ outcome: 'stays', reason });

const nameOf = ({ candidates }: Question): string =>
  candidates.map(({ claim }) => claim.name).join(', ');

const spotForSpot = (question: Question): Stays =>
  stays({ code: 'spot-to-spot-disabled', fields: { claim: nameOf(question) } });

const tooFewTypes = (question: Question, found: number): Stays =>
  stays({
    code: 'spot-diversity',
    fields: { claim: nameOf(question), found: `${found}`, required: `${SPOT_TYPES_NEEDED}` },
  });

function noPlace({ stuck, topology, problem }: AssignedBatch, moving: number): Stays {
  const [first] = stuck.keys();
  const count = [...stuck.values()].reduce((total, pods) => total + pods, 0);
  const reason = first && poolRefusals(first, topology, problem)[0]?.reasons[0];
  const fields = {
    count: `${count} of ${moving}`,
    first: first?.pods[0] ?? '',
    firstReason: reason ? reasonText(reason) : 'no room',
  };
  return stays({ code: 'pods-do-not-fit', fields });
}

function removal(question: Question, assigned: AssignedBatch): Move {
  const { batch, decision, hourlyUsd } = question;
  const { placements } = planOf(assigned.problem, batch, solutionOf(assigned, []), decision);
  return {
    outcome: 'move',
    replacements: [],
    placements,
    savingHourlyUsd: hourlyUsd,
    reason: underutilized(question, targetsText(placements), hourlyUsd),
  };
}

const solutionOf = ({ placed, topology }: AssignedBatch, drafts: readonly Draft[]): Solution => ({
  placed,
  drafts,
  unplaced: new Map(),
  costUsd: 0,
  topology,
});

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

/**
 * A quick no: a replacement would be spot for spot, which only pays with many cheaper types to
 * choose from and is off by default.
 */
const onlyFitsSpot = (pods: readonly Pod[], problem: Problem): boolean =>
  pods.every((pod) => waysOf(pod, problem).every(allowsSpot));

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
