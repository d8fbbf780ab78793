import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { RESERVATION_ID_LABEL } from '../model/labels.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { Offering } from '../model/offerings/instance-type.ts';
import { ownValue } from '../model/own-value.ts';
import type { Problem } from '../scheduling/input/problem.ts';
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
  const isBlocked = planned.verdict.reason.code === 'pods-do-not-fit';
  if (!isBlocked || !mayTerminateFirst(replacement.reason, input.snapshot)) return planned;
  const own = findOwnReservation(claim, input.snapshot);
  if (!own) return planned;
  const freed = freeOneInstance(input, own);
  const state = createConsolidationState(freed, listLeavingClaims(input));
  const existingNode = freed.existingNodes.find((node) => node.claim?.name === claim.name);
  if (!existingNode) return planned;
  const { command } = planReplacement({ ...candidate, existingNode }, state, { ...replacement, next: [] });
  if (!command) return planned;
  const why = `capacity reservation ${own.reservation?.id} is full`;
  return {
    command: { ...command, terminatesFirst: true, replacements: [], placements: [], savingHourlyUsd: 0 },
    verdict: { claim: claim.name, outcome: 'goes', reason: { code: 'terminates-first', fields: { why } } },
  };
}

/** The cluster as it is when the node of the reservation is gone. */
const freeOneInstance = ({ snapshot }: DisruptionInput, own: Offering): Problem =>
  prepareCluster({
    ...snapshot,
    offerings: [...snapshot.offerings.filter(({ reservation }) => reservation?.id !== own.reservation?.id), own],
  });

/**
 * Returns the offering of the reservation that a node runs in, with one instance more than EC2 has free:
 * its own. Snapshots list only reservations with free instances.
 *
 * @returns undefined if it runs in none, or its EC2NodeClass does not select that one any more
 */
export function findOwnReservation(
  { launch, pool }: NodeClaim,
  { offerings, nodeClasses = [], pools }: ClusterSnapshot,
): Offering | undefined {
  const id = launch && ownValue(launch.labels, RESERVATION_ID_LABEL);
  if (!launch || id === undefined) return undefined;
  const listed = offerings.find(({ reservation }) => reservation?.id === id);
  if (listed?.reservation)
    return { ...listed, reservation: { ...listed.reservation, free: listed.reservation.free + 1 } };
  const nodeClass = pools.find(({ name }) => name === pool)?.nodeClass.name;
  const selected = nodeClasses
    .filter(({ name }) => name === nodeClass)
    .flatMap(({ reservations = [] }) => reservations)
    .find((one) => one.id === id);
  if (!selected || nodeClass === undefined) return undefined;
  const { instanceType, zone, kind, isInterruptible } = selected;
  return {
    ...{ instanceType, zone, capacityType: 'reserved', hourlyUsd: launch.hourlyUsd },
    reservation: { id, kind, isInterruptible, free: 1, nodeClass },
  };
}
