import { formatOffering } from '../model/instance-type.ts';
import type { Placement, PlannedClaim } from '../model/plans.ts';
import type { Pod } from '../model/pod.ts';
import { type Reason, reasonText } from '../model/reasons.ts';
import { podsToMove } from '../scheduling/batch.ts';
import {
  addBit,
  emptyBitset,
  forEachBit,
  intersection,
  isEmptyBitset,
} from '../scheduling/bitset.ts';
import { cheapestType, type Draft } from '../scheduling/drafts.ts';
import { unmetMinValues } from '../scheduling/min-values.ts';
import { ON_DEMAND, SPOT, type Where } from '../scheduling/offering-index.ts';
import { packOntoOne } from '../scheduling/one-node.ts';
import { planOf } from '../scheduling/plan-provisioning.ts';
import { poolRefusals } from '../scheduling/pool-refusals.ts';
import type { Problem } from '../scheduling/problem.ts';
import { type AssignedBatch, assignBatch, type Solution } from '../scheduling/solve.ts';
import type { Candidate } from './candidates.ts';
import { leastReplacement, type Outlook, waysOf, withoutRoom } from './outlook.ts';

export type Consolidation =
  | {
      readonly outcome: 'move';
      readonly replacements: readonly PlannedClaim[];
      readonly placements: readonly Placement[];
      readonly savingHourlyUsd: number;
      readonly reason: Reason;
    }
  | { readonly outcome: 'stays'; readonly reason: Reason };

/**
 * Whether the cluster is cheaper without the candidate: its pods fit on nodes that stay (delete),
 * or with the help of one cheaper node (replace).
 *
 * @see Karpenter, single-node consolidation
 */
export function consolidate(
  candidate: Candidate,
  outlook: Outlook,
  decision: string,
): Consolidation {
  const { problem } = outlook;
  const { bin } = candidate;
  if (candidate.hourlyUsd === 0) return unknownPrice(candidate);
  // Pods that wait for this very node would be left without a place as well.
  const batch = [...podsToMove(bin, problem), ...(outlook.awaited.get(bin.name) ?? [])];
  const mayBeReplaced = !(isSpot(candidate) && onlyFitsSpot(batch, problem));
  const homeless = withoutRoom(batch, bin.name, outlook);
  if (homeless.length > 0) {
    if (!mayBeReplaced) return spotForSpot(candidate);
    const least = leastReplacement(homeless, candidate, problem);
    // Without any node to replace it, the full look below says which pod is in the way.
    if (least.hourlyUsd < Infinity && least.hourlyUsd >= candidate.hourlyUsd) {
      return notCheaper(candidate, least.type, least.hourlyUsd);
    }
  }

  const assigned = assignBatch(problem, batch, {
    without: bin.name,
    mayReceive: (other) => outlook.mayReceive.has(other.name),
    newNodes: mayBeReplaced,
  });
  if (assigned.stuck.size > 0) {
    return mayBeReplaced ? noPlace(assigned, batch.length) : spotForSpot(candidate);
  }
  if (assigned.units.length === 0) return removal(candidate, batch, assigned, decision);

  const draft = packOntoOne(assigned.problem, assigned.units);
  if (!draft) return notCheaper(candidate, 'more than one node', Infinity);
  if (isSpot(candidate) && allowsSpot(draft)) return spotForSpot(candidate);
  const cheaper = cheaperThan(candidate.hourlyUsd, draft, problem);
  if (!cheaper) {
    const best = cheapestType(draft, problem);
    return notCheaper(candidate, problem.index.types[best.type]?.name ?? '', best.hourlyUsd);
  }
  const plan = planOf(assigned.problem, batch, solutionOf(assigned, [cheaper]), decision);
  const [replacement] = plan.claims;
  if (!replacement) return notCheaper(candidate, 'none on offer', Infinity);
  const savingHourlyUsd = candidate.hourlyUsd - replacement.cheapest.hourlyUsd;
  return {
    outcome: 'move',
    replacements: plan.claims,
    placements: plan.placements,
    savingHourlyUsd,
    reason: underutilized(candidate, replacement.cheapest.instanceType, savingHourlyUsd),
  };
}

const stays = (reason: Reason): Consolidation => ({ outcome: 'stays', reason });

const spotForSpot = ({ claim }: Candidate): Consolidation =>
  stays({ code: 'spot-to-spot-disabled', fields: { claim: claim.name } });

function noPlace({ stuck, topology, problem }: AssignedBatch, moving: number): Consolidation {
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

function removal(
  candidate: Candidate,
  batch: readonly Pod[],
  assigned: AssignedBatch,
  decision: string,
): Consolidation {
  const { placements } = planOf(assigned.problem, batch, solutionOf(assigned, []), decision);
  const targets = placements.map(({ target }) => target).join(', ') || 'nowhere';
  return {
    outcome: 'move',
    replacements: [],
    placements,
    savingHourlyUsd: candidate.hourlyUsd,
    reason: underutilized(candidate, targets, candidate.hourlyUsd),
  };
}

const solutionOf = ({ placed, topology }: AssignedBatch, drafts: readonly Draft[]): Solution => ({
  placed,
  drafts,
  unplaced: new Map(),
  hourlyUsd: 0,
  topology,
});

const underutilized = ({ claim }: Candidate, target: string, savingUsd: number): Reason => ({
  code: 'underutilized',
  fields: { claim: claim.name, target, savingUsd: savingUsd.toFixed(4) },
});

const isSpot = ({ claim }: Candidate): boolean => claim.launch?.capacityType === 'spot';

const allowsSpot = ({ where }: { readonly where: Where }): boolean =>
  (where.capacityTypes & SPOT) !== 0;

/**
 * A quick no: a replacement would be spot for spot, which only pays with many cheaper types to
 * choose from and is off by default.
 */
const onlyFitsSpot = (pods: readonly Pod[], problem: Problem): boolean =>
  pods.every((pod) => waysOf(pod, problem).every(allowsSpot));

const unknownPrice = ({ claim: { name, launch } }: Candidate): Consolidation => {
  const what = launch ? `the price of ${formatOffering(launch)}` : `the instance of ${name}`;
  return stays({ code: 'state-incomplete', fields: { what, limit: 'the catalogue' } });
};

function notCheaper({ claim, hourlyUsd }: Candidate, best: string, bestUsd: number): Consolidation {
  const fields = {
    claim: claim.name,
    alternative: best,
    hourlyUsd: bestUsd < Infinity ? bestUsd.toFixed(4) : '–',
    currentUsd: hourlyUsd.toFixed(4),
  };
  return stays({ code: 'no-cheaper-replacement', fields });
}

/**
 * The draft with only those types that cost less wherever they are launched. If spot and on-demand
 * are both open, spot it is: when spot fails, dearer on-demand must not take its place.
 */
function cheaperThan(hourlyUsd: number, draft: Draft, problem: Problem): Draft | undefined {
  const types = emptyBitset(problem.index.types.length);
  forEachBit(draft.types, (type) => {
    if (worstLaunchUsd(type, draft.where, problem) < hourlyUsd) addBit(types, type);
  });
  const spot = { ...draft.where, capacityTypes: draft.where.capacityTypes & SPOT };
  const asSpot = intersection(types, problem.offerings.offered(spot));
  const left = isEmptyBitset(asSpot)
    ? { types, where: draft.where }
    : { types: asSpot, where: spot };
  if (isEmptyBitset(left.types)) return undefined;
  return unmetMinValues(draft.template, left.types, problem) ? undefined : { ...draft, ...left };
}

/** What a launch of the type costs at worst: the fleet chooses zone and pool, not we. */
function worstLaunchUsd(type: number, where: Where, { offerings }: Problem): number {
  for (const capacityType of [SPOT, ON_DEMAND]) {
    const part = { ...where, capacityTypes: where.capacityTypes & capacityType };
    const usd = part.capacityTypes === 0 ? Infinity : offerings.dearestUsd(type, part);
    if (usd < Infinity) return usd;
  }
  return Infinity;
}
