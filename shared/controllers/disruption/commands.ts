import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { forEachWithLimit } from '../../model/concurrency.ts';
import { formatShortDuration } from '../../model/duration.ts';
import { StaleObjectError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { addReboot, nameFault } from '../../model/nodes/reboot.ts';
import type { CommandRepair, DisruptionCommand } from '../../model/plans.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { storeNewClaim } from '../commit/commit.ts';
import { commitCommand } from '../commit/commit-command.ts';
import { launchClaim } from '../launch/launch-claims.ts';
import { findLaunchDelay } from '../provisioning/launch-caps.ts';
import { deleteClaim, storeClaim } from '../support/claim-writes.ts';
import { requestDisruption } from '../support/hints.ts';
import { unlessUnreadable } from '../support/unreadable-records.ts';
import { listReplacementEvents, toCommandEvent } from './command-event.ts';
import { findNode, untaint } from './disrupted-taint.ts';
import { recordDriftFailure, recordDriftSuccess } from './drift-backoff.ts';
import { recordFailedStart } from './rollouts.ts';

const RETRY_AFTER_MS = SECOND_MS;
const MS_PER_CANDIDATE = 80;

/** False for a proposal, which has not changed anything yet. */
export const isRunningCommand = ({ validatedAt }: DisruptionCommand): boolean => validatedAt !== undefined;

/**
 * Time limit for the replacements, in milliseconds. Large commands take longer because they queue
 * for the API server.
 */
export const computeTimeoutMs = (candidates: number): number =>
  Math.min(Math.max(MS_PER_CANDIDATE * candidates, 10 * MINUTE_MS), HOUR_MS);

/**
 * Commits the command and takes its first steps; after a crash the next run continues. Does nothing
 * if another command has one of its nodes or pods were planned onto them since the snapshot.
 */
export async function startCommand(
  ports: PortsOf<'disruption'>,
  proposal: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const validatedAt = ports.clock.now();
  const command = { ...proposal, validatedAt };
  // The proposal has the command's id. After a crash here neither exists, and nothing happens,
  // which is safe.
  await ports.commands.remove(command.id);
  const retryAt = await findReplacementDelay(ports, command, snapshot);
  if (retryAt !== undefined) return requestDisruption(ports, retryAt);
  if ((await commitCommand(ports, command, snapshot)) === 'stale') return;

  await ports.decisionLog.recordEvent(toCommandEvent(command, snapshot, validatedAt));
  await progressCommand(ports, command, snapshot);
  // After the launch, so that the NodeClaims of the replacements exist.
  for (const event of listReplacementEvents(command, validatedAt)) {
    await ports.decisionLog.recordEvent(event);
  }
}

/** The candidates go once their replacements run, so their price does not count. */
function findReplacementDelay(
  ports: PortsOf<'disruption'>,
  { replacements, candidates, validatedAt = 0 }: DisruptionCommand,
  { claims, offerings }: ClusterSnapshot,
): Promise<EpochMs | undefined> {
  const remaining = claims.filter(({ name }) => !candidates.includes(name));
  return findLaunchDelay(ports, {
    planned: replacements,
    claims: remaining,
    offerings,
    waiting: candidates,
    now: validatedAt,
  });
}

/** Limits the requests in flight: a command may remove hundreds of empty nodes. */
const MAX_CONCURRENT_WRITES = 10;

/** Advances a running command as far as possible. Each step may be repeated. */
export async function progressCommand(
  ports: PortsOf<'disruption'>,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  if (isOverdue(command, ports.clock.now())) return abandonCommand(ports, command, snapshot);
  if (command.repair?.reboots) return requestReboots(ports, command, command.repair);

  const replacements = await unlessUnreadable(() => findReplacements(ports, command));
  if (!replacements) return;
  if (replacements === 'lost') return abandonCommand(ports, command, snapshot);
  // EC2 may lack capacity: taint only when all replacements have instances.
  if (replacements.some(({ launch }) => !launch)) return requestRetry(ports);
  // Taint after the replacements' records exist, else the planner would launch further nodes for
  // these pods.
  if (!(await taintCandidates(ports, command, snapshot))) return requestRetry(ports);

  if (replacements.some(({ initializedAt }) => initializedAt === undefined)) return;
  await removeCandidates(ports, command);
  if (command.reason === 'Drifted') await recordDriftSuccess(ports, command, snapshot);
}

const isOverdue = ({ validatedAt = 0, candidates }: DisruptionCommand, now: EpochMs): boolean =>
  now > validatedAt + computeTimeoutMs(candidates.length);

/** Finds the launched replacements. A record that was deleted by hand is created again. */
async function findReplacements(
  ports: PortsOf<'disruption'>,
  { replacements, candidates }: DisruptionCommand,
): Promise<readonly NodeClaim[] | 'lost'> {
  const claims: NodeClaim[] = [];
  for (const { claim } of replacements) {
    const replacement = await findOrLaunch(ports, claim, candidates);
    if (!replacement || replacement.deletingAt !== undefined) return 'lost';
    claims.push(replacement);
  }
  return claims;
}

async function findOrLaunch(
  ports: PortsOf<'disruption'>,
  claim: NodeClaim,
  replaces: readonly string[],
): Promise<NodeClaim | undefined> {
  const existing = await ports.nodeClaims.find(claim.name);
  const stored = existing ?? (await storeNewClaim(ports, { ...claim, createdAt: ports.clock.now() }));
  if (stored?.claim.decision !== claim.decision) return undefined;
  if (stored.claim.launch || stored.claim.deletingAt !== undefined) return stored.claim;
  await launchClaim(ports, stored, replaces);
  return (await ports.nodeClaims.find(claim.name))?.claim;
}

/**
 * @returns true if every node that is still to be removed carries the taint
 */
async function taintCandidates(
  ports: PortsOf<'disruption'>,
  { candidates }: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<boolean> {
  const names = new Set(candidates);
  const claims = snapshot.claims.filter(({ name, deletingAt }) => names.has(name) && deletingAt === undefined);
  try {
    await forEachWithLimit(claims, MAX_CONCURRENT_WRITES, (claim) => taintNode(ports, claim, snapshot));
    return true;
  } catch (error) {
    if (!isStale(error)) throw error;
    return false;
  }
}

/** True also if several Nodes were changed by other writers, and nothing else failed. */
const isStale = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.every(isStale) : error instanceof StaleObjectError;

async function taintNode(
  { cluster }: PortsOf<'disruption'>,
  claim: NodeClaim,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const node = findNode(claim, snapshot.nodes);
  if (!node || node.taints.some((present) => isSameTaint(present, DISRUPTED_TAINT))) return;
  await cluster.changeNode(node, { taints: [...node.taints, DISRUPTED_TAINT] });
}

/** Hands the nodes over to their claims' own reconciliation. */
async function requestReboots(
  ports: PortsOf<'disruption'>,
  { id, candidates, validatedAt = 0 }: DisruptionCommand,
  repair: CommandRepair,
): Promise<void> {
  for (const name of candidates) {
    const stored = await unlessUnreadable(() => ports.nodeClaims.find(name));
    if (!stored || stored.claim.deletingAt !== undefined) continue;
    const { claim, version } = stored;
    // The process may have ended after it stored the reboot.
    const isRequested = claim.reboots?.some(({ requestedAt }) => requestedAt >= validatedAt) ?? false;
    const reboot = { cause: nameFault(repair), requestedAt: ports.clock.now(), ...limitDrain(claim, repair.drainMs) };
    if (!isRequested) await storeClaim(ports, addReboot(claim, reboot), version);
    await ports.queue.send({ topic: 'claim', claim: name });
  }
  await ports.commands.remove(id);
}

const limitDrain = ({ terminationGracePeriodMs = Number.POSITIVE_INFINITY }: NodeClaim, drainMs: number) => ({
  drainMs: Math.min(drainMs, terminationGracePeriodMs),
});

/** Deletes the candidates. A candidate that is already gone counts as removed. */
async function removeCandidates(ports: PortsOf<'disruption'>, command: DisruptionCommand): Promise<void> {
  const at = ports.clock.now();
  const { reason: removal, repair } = command;
  const deletion = { removal, at, ...(repair && { deadline: at + repair.drainMs }) };
  await forEachWithLimit(command.candidates, MAX_CONCURRENT_WRITES, (name) => deleteClaim(ports, name, deletion));
  await ports.commands.remove(command.id);
}

/**
 * Gives the command up. Candidates stay, and so do replacements that came up, until they are found
 * empty.
 */
async function abandonCommand(
  ports: PortsOf<'disruption'>,
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

/**
 * Counts the failure for the pool's backoff, and for the rollout if a replacement got an instance
 * but did not become ready.
 */
async function recordReplacementFailure(
  ports: PortsOf<'disruption'>,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  await recordDriftFailure(ports, command, snapshot);
  for (const { claim } of command.replacements) {
    const stored = (await unlessUnreadable(() => ports.nodeClaims.find(claim.name)))?.claim;
    if (!stored?.launch || stored.initializedAt !== undefined) continue;
    const waited = formatShortDuration(ports.clock.now() - stored.launch.at);
    await recordFailedStart(ports, stored, describeNotReady(stored, waited));
  }
}

const describeNotReady = ({ name, registeredAt }: NodeClaim, waited: string): string =>
  `${name} ${registeredAt === undefined ? 'did not register' : 'was not ready'} within ${waited}`;

const requestRetry = async ({ queue, clock }: PortsOf<'disruption'>): Promise<void> =>
  queue.send({ topic: 'disrupt' }, clock.now() + RETRY_AFTER_MS);
