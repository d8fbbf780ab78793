import { RESERVATION_ID_LABEL } from '../model/labels.ts';
import type { Offering } from '../model/offerings/instance-type.ts';
import { ownValue } from '../model/own-value.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import { prepareCluster } from '../scheduling/removal/removal-state.ts';
import { type Candidate, type DisruptionInput, listLeavingClaims, mayTerminateFirst } from './candidates.ts';
import { createConsolidationState } from './consolidation/consolidation-state.ts';
import { type PlannedReplacement, planReplacement, type Replacement } from './plan-replacement.ts';

/**
 * Lets a node go before its replacement is launched, if a gate allows it and the plan has found no other room
 * than its own instance of a full capacity reservation, which its pods then get.
 *
 * @see Karpenter, gates TerminateFirstDrift and TerminateFirstRepair
 */
export function terminateFirst(
  planned: PlannedReplacement,
  candidate: Candidate,
  input: DisruptionInput,
  replacement: Omit<Replacement, 'next'>,
): PlannedReplacement {
  const { claim } = candidate;
  const id = ownValue(claim.launch?.labels ?? {}, RESERVATION_ID_LABEL);
  const isBlocked = planned.verdict.reason.code === 'pods-do-not-fit';
  if (!isBlocked || id === undefined || !mayTerminateFirst(replacement.reason, input.snapshot)) return planned;

  const freed = freeOneInstance(input, id);
  const state = createConsolidationState(freed, listLeavingClaims(input));
  const existingNode = freed.existingNodes.find((node) => node.claim?.name === claim.name);
  if (!existingNode) return planned;
  const { command } = planReplacement({ ...candidate, existingNode }, state, { ...replacement, next: [] });
  if (!command) return planned;
  const terminating: DisruptionCommand = {
    ...command,
    terminatesFirst: true,
    replacements: [],
    placements: [],
    savingHourlyUsd: 0,
  };
  const why = `capacity reservation ${id} is full`;
  return {
    command: terminating,
    verdict: { claim: claim.name, outcome: 'goes', reason: { code: 'terminates-first', fields: { why } } },
  };
}

/** The cluster as it is when the node of the reservation is gone. */
function freeOneInstance({ snapshot }: DisruptionInput, id: string) {
  const offerings = snapshot.offerings.map((offering): Offering => {
    const { reservation } = offering;
    return reservation?.id === id
      ? { ...offering, reservation: { ...reservation, free: reservation.free + 1 } }
      : offering;
  });
  return prepareCluster({ ...snapshot, offerings });
}
