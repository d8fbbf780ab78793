import { planDisruption } from '../../disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionCommand, PlannedClaim } from '../../model/plans.ts';
import { MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { requestDisruption } from '../support/hints.ts';
import { startCommand } from './commands.ts';

/** Pods that were about to move have done so by then: the same answer twice is no accident. */
const VALIDATION_DELAY_MS = 15 * SECOND_MS;
/** Later it says nothing about the cluster any more. */
const EXPIRES_AFTER_MS = 2 * MINUTE_MS;
/** Long enough to keep a node out of one decision. */
const NOMINATED_FOR_MS = 1;

/** A drifted node stays drifted; whether a node is needed can change with the next pod. */
export const needsValidation = ({ reason }: DisruptionCommand): boolean => reason !== 'Drifted';

export async function storeProposal(ports: Ports, command: DisruptionCommand): Promise<void> {
  await ports.commands.add(command);
  await ports.queue.send({ topic: 'disrupt' }, command.decidedAt + VALIDATION_DELAY_MS);
}

/** Starts what still holds after the wait, and forgets what does not. */
export async function validateProposal(
  ports: Ports,
  proposal: DisruptionCommand,
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): Promise<void> {
  const now = snapshot.takenAt;
  const dueAt = proposal.decidedAt + VALIDATION_DELAY_MS;
  if (now < dueAt) return ports.queue.send({ topic: 'disrupt' }, dueAt);

  const isExpired = now > proposal.decidedAt + EXPIRES_AFTER_MS;
  const command = isExpired ? undefined : planAgain(proposal, snapshot, running);
  if (command) await startCommand(ports, command, snapshot);
  else await ports.commands.remove(proposal.id);
  // What this one held up, or made room for, is looked for next.
  await requestDisruption(ports, now + 1);
}

/**
 * Decides once more, on the proposal's nodes alone. Of empty nodes those that are still empty go;
 * any other command has to come out whole, with replacements that are all still good.
 */
function planAgain(
  proposal: DisruptionCommand,
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): DisruptionCommand | undefined {
  const only = restrictToCandidates(snapshot, proposal.candidates);
  const { command } = planDisruption(only, running, proposal.id);
  if (command?.reason !== proposal.reason) return undefined;

  const { id, decidedAt } = proposal;
  if (proposal.reason === 'Empty') return { ...command, id, decidedAt };
  return isSameMove(proposal, command) ? proposal : undefined;
}

/** Every other node is nominated for the moment: pods may go there, but it is no candidate. */
function restrictToCandidates(snapshot: ClusterSnapshot, candidates: readonly string[]): ClusterSnapshot {
  const { claims, nodes, takenAt, nominations } = snapshot;
  const candidateNames = new Set(candidates);
  const candidateClaims = claims.filter(({ name }) => candidateNames.has(name));
  const allowed = new Set(candidateClaims.flatMap(({ name, nodeName }) => [name, nodeName ?? name]));
  const others = [...claims, ...nodes].map(({ name }) => name).filter((name) => !allowed.has(name));
  const until = takenAt + NOMINATED_FOR_MS;
  return {
    ...snapshot,
    nominations: { ...Object.fromEntries(others.map((name) => [name, until])), ...nominations },
  };
}

function isSameMove(proposal: DisruptionCommand, fresh: DisruptionCommand): boolean {
  const [before, after] = [proposal, fresh].map(({ candidates }) => candidates.toSorted().join());
  return (
    before === after &&
    proposal.replacements.length === fresh.replacements.length &&
    proposal.replacements.every((replacement, index) =>
      isTypeSubset(replacement, fresh.replacements[index]),
    )
  );
}

/** Every type that it may be launched as is one that would be chosen again. */
const isTypeSubset = (before: PlannedClaim, after: PlannedClaim | undefined): boolean =>
  after !== undefined &&
  before.claim.instanceTypes.every((type) => after.claim.instanceTypes.includes(type));
