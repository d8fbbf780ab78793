import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { formatShortDuration } from '../../model/duration.ts';
import { StaleObjectError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { storeNewClaim } from '../commit/commit.ts';
import { commitCommand } from '../commit/commit-command.ts';
import { launchClaim } from '../launch/launch-claims.ts';
import { deleteClaim } from '../support/claim-writes.ts';
import { toCommandEvent } from './command-event.ts';
import { findNode, untaint } from './disrupted-taint.ts';
import { recordDriftFailure, recordDriftSuccess } from './drift-backoff.ts';
import { recordFailedStart } from './rollouts.ts';

const RETRY_AFTER_MS = SECOND_MS;
const MS_PER_CANDIDATE = 80;

/** A proposal changes nothing yet. */
export const isRunningCommand = ({ validatedAt }: DisruptionCommand): boolean => validatedAt !== undefined;

/** How long replacements may take: large commands wait in line for the API server. */
export const computeTimeoutMs = (candidates: number): number =>
  Math.min(Math.max(MS_PER_CANDIDATE * candidates, 10 * MINUTE_MS), HOUR_MS);

/**
 * Commits the command, then takes its first steps; whoever dies here is taken up by the next. A
 * node that another command has already, or that pods were planned onto since, is left alone.
 */
export async function startCommand(
  ports: Ports,
  proposal: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const validatedAt = ports.clock.now();
  const command = { ...proposal, validatedAt };
  // The proposal has the same id; without either of them nothing happens, which is safe.
  await ports.commands.remove(command.id);
  if ((await commitCommand(ports, command, snapshot)) === 'stale') return;

  await ports.journal.happened(toCommandEvent(command, snapshot, validatedAt));
  await progressCommand(ports, command, snapshot);
}

/** Takes a running command as far as it gets now. Each step may be repeated. */
export async function progressCommand(
  ports: Ports,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  if (isOverdue(command, ports.clock.now())) return abandonCommand(ports, command, snapshot);

  const replacements = await findReplacements(ports, command);
  if (replacements === 'lost') return abandonCommand(ports, command, snapshot);
  // EC2 may have none of them: until it has given them, nothing is tainted.
  if (replacements.some(({ launch }) => !launch)) return requestRetry(ports);
  // After their records, or the pods of a tainted node would be planned onto nodes of their own.
  if (!(await taintCandidates(ports, command, snapshot))) return requestRetry(ports);

  if (replacements.some(({ initializedAt }) => initializedAt === undefined)) return;
  await removeCandidates(ports, command);
  if (command.reason === 'Drifted') await recordDriftSuccess(ports, command, snapshot);
}

const isOverdue = ({ validatedAt = 0, candidates }: DisruptionCommand, now: EpochMs): boolean =>
  now > validatedAt + computeTimeoutMs(candidates.length);

/** The replacements, launched; their records the commit made, or a release without commits did not. */
async function findReplacements(
  ports: Ports,
  { replacements }: DisruptionCommand,
): Promise<readonly NodeClaim[] | 'lost'> {
  const claims: NodeClaim[] = [];
  for (const { claim } of replacements) {
    const replacement = await findOrLaunch(ports, claim);
    if (!replacement || replacement.deletingAt !== undefined) return 'lost';
    claims.push(replacement);
  }
  return claims;
}

async function findOrLaunch(ports: Ports, claim: NodeClaim): Promise<NodeClaim | undefined> {
  const existing = await ports.nodeClaims.find(claim.name);
  const stored = existing ?? (await storeNewClaim(ports, { ...claim, createdAt: ports.clock.now() }));
  if (stored?.claim.decision !== claim.decision) return undefined;
  if (stored.claim.launch || stored.claim.deletingAt !== undefined) return stored.claim;
  await launchClaim(ports, stored);
  return (await ports.nodeClaims.find(claim.name))?.claim;
}

/** @returns whether every node that is still to be removed carries the taint */
async function taintCandidates(
  ports: Ports,
  { candidates }: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<boolean> {
  const names = new Set(candidates);
  const claims = snapshot.claims.filter(
    ({ name, deletingAt }) => names.has(name) && deletingAt === undefined,
  );
  try {
    for (const claim of claims) await taintNode(ports, claim, snapshot);
    return true;
  } catch (error) {
    if (!(error instanceof StaleObjectError)) throw error;
    return false;
  }
}

async function taintNode(
  { cluster }: Ports,
  claim: NodeClaim,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const node = findNode(claim, snapshot.nodes);
  if (!node || node.taints.some((present) => isSameTaint(present, DISRUPTED_TAINT))) return;
  await cluster.changeNode(node, { taints: [...node.taints, DISRUPTED_TAINT] });
}

/** A candidate that is gone already, by hand or by EC2, is as good as removed. */
async function removeCandidates(ports: Ports, command: DisruptionCommand): Promise<void> {
  const deletion = { removal: command.reason, at: ports.clock.now() };
  for (const name of command.candidates) await deleteClaim(ports, name, deletion);
  await ports.commands.remove(command.id);
}

/** Candidates stay; replacements that did come up stay as well, until they are found empty. */
async function abandonCommand(
  ports: Ports,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  if (command.reason === 'Drifted') await recordReplacementFailure(ports, command, snapshot);
  await ports.commands.remove(command.id);
  const names = new Set(command.candidates);
  for (const claim of snapshot.claims) {
    if (names.has(claim.name)) await untaint(ports, claim, snapshot.nodes);
  }
}

/** Of the replacements, those that got an instance and made no node of it say most. */
async function recordReplacementFailure(
  ports: Ports,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  await recordDriftFailure(ports, command, snapshot);
  for (const { claim } of command.replacements) {
    const stored = (await ports.nodeClaims.find(claim.name))?.claim;
    if (!stored?.launch || stored.initializedAt !== undefined) continue;
    const waited = formatShortDuration(ports.clock.now() - stored.launch.at);
    await recordFailedStart(ports, stored, describeNotReady(stored, waited));
  }
}

const describeNotReady = ({ name, registeredAt }: NodeClaim, waited: string): string =>
  `${name} ${registeredAt === undefined ? 'did not register' : 'was not ready'} within ${waited}`;

const requestRetry = async ({ queue, clock }: Ports): Promise<void> =>
  queue.send({ topic: 'disrupt' }, clock.now() + RETRY_AFTER_MS);
