import { findMoveBack } from '../../disruption/moves/launched-to-save.ts';
import { VALIDATION_DELAY_MS } from '../../disruption/validation-delay.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict, PlannedClaim } from '../../model/plans.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { createDecisionId } from '../support/decision-id.ts';
import { requestDisruption } from '../support/hints.ts';
import { startCommand } from './commands.ts';
import type { DecideDisruption } from './decide-disruption.ts';

/** After this the proposal is too old to say anything about the cluster. */
const EXPIRES_AFTER_MS = 2 * MINUTE_MS;

/**
 * Stores commands that are validated after the wait, one after the other: each is checked against
 * the cluster as the earlier ones have left it.
 */
export async function storeProposals(
  ports: PortsOf<'disruption'>,
  commands: readonly [DisruptionCommand, ...DisruptionCommand[]],
): Promise<void> {
  for (const command of commands) await ports.commands.add(command);
  await ports.queue.send({ topic: 'disrupt' }, commands[0].decidedAt + VALIDATION_DELAY_MS);
}

interface Validation {
  readonly snapshot: ClusterSnapshot;
  readonly running: readonly DisruptionCommand[];
  readonly decide: DecideDisruption;
}

/** Starts a proposal that still holds after the wait, and removes one that does not. */
export async function validateProposal(
  ports: PortsOf<'disruption'>,
  proposal: DisruptionCommand,
  { snapshot, running, decide }: Validation,
): Promise<void> {
  const now = snapshot.takenAt;
  const dueAt = proposal.decidedAt + VALIDATION_DELAY_MS;
  if (now < dueAt) return ports.queue.send({ topic: 'disrupt' }, dueAt);

  const isExpired = now > proposal.decidedAt + EXPIRES_AFTER_MS;
  if (isExpired) {
    await dropProposal(ports, proposal, now);
    return requestDisruption(ports, now + 1);
  }
  const input = { kind: 'disruption', snapshot, running, proposal } as const;
  const plan = decide(input, proposal.id);
  const tookMs = ports.clock.now() - now;
  const command = selectCommand(proposal, plan);
  if (!command && plan.verdicts.some(waitsForLaunch)) return requestDisruption(ports, now + 1);
  const back = command && findMoveBack(command, snapshot);
  if (back) await ports.decisionLog.recordEvent({ kind: 'move-back-prevented', at: now, ...back });
  if (command && !back) await startCommand(ports, command, snapshot);
  else await dropProposal(ports, proposal, now);
  const id = createDecisionId('c', now, [proposal.id]);
  const confirmation = { kind: 'confirmation', id, at: now, tookMs, plan, input } as const;
  await ports.decisionLog.recordConfirmation(confirmation);
  // Plan again: the proposal may have blocked other moves or made room for them.
  await requestDisruption(ports, now + 1);
}

async function dropProposal(
  { commands, decisionLog }: PortsOf<'disruption'>,
  { id, candidates: claims, reason }: DisruptionCommand,
  at: EpochMs,
): Promise<void> {
  await commands.remove(id);
  if (reason !== 'Underutilized') return;
  await decisionLog.recordEvent({ kind: 'consolidation-dropped', at, claims });
}

/** A launch of the last seconds could affect the move: it is validated again after the launch. */
const waitsForLaunch = ({ reason }: NodeVerdict): boolean => reason.code === 'launch-under-way';

/**
 * Empty nodes that are still empty go; any other command has to come out whole, with replacement
 * types that are all still chosen.
 */
function selectCommand(proposal: DisruptionCommand, { command }: DisruptionPlan): DisruptionCommand | undefined {
  if (command?.reason !== proposal.reason) return undefined;

  const { id, decidedAt } = proposal;
  if (proposal.reason === 'Empty') return { ...command, id, decidedAt };
  return isSameMove(proposal, command) ? proposal : undefined;
}

function isSameMove(proposal: DisruptionCommand, fresh: DisruptionCommand): boolean {
  const [before, after] = [proposal, fresh].map(({ candidates }) => candidates.toSorted().join());
  return (
    before === after &&
    proposal.replacements.length === fresh.replacements.length &&
    proposal.replacements.every((replacement, index) => isTypeSubset(replacement, fresh.replacements[index]))
  );
}

/** True if every type that the replacement may be launched as would be chosen again. */
const isTypeSubset = (before: PlannedClaim, after: PlannedClaim | undefined): boolean =>
  after !== undefined && before.claim.instanceTypes.every((type) => after.claim.instanceTypes.includes(type));
