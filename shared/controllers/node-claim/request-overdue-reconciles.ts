import { applyObjectChanges } from '../../lifecycle/object-changes.ts';
import { forEachConcurrently } from '../../model/concurrency.ts';
import { computeForcedExpiry } from '../../model/nodes/expiry.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import { isRebooting } from '../../model/nodes/reboot.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';

/** Sends hints for the claims that something has happened to, or should have happened, without an event. */
export async function requestOverdueReconciles(
  { queue, clock }: PortsOf<'sweep'>,
  claims: readonly NodeClaim[],
  objects: ClusterObjects,
  instances: readonly Instance[] | undefined,
): Promise<void> {
  const now = clock.now();
  const isDue = createDueCheck(now, objects.nodes, instances);
  const overdue = claims.filter(isDue).map(({ name }) => name);
  const names = new Set([...overdue, ...listDivergedClaims(objects, claims)]);
  const unlisted = listUnlistedBeforeRegistration(claims, instances, now);
  await forEachConcurrently([...names], (claim) =>
    queue.send({ topic: 'claim', claim, ...(unlisted.has(claim) && { isUnlisted: true }) }),
  );
}

/** EC2 may not list an instance right after its launch. */
const LISTED_AFTER_MS = 30 * SECOND_MS;

/**
 * Names the claims whose instance EC2 does not list any more although no Node has joined. The
 * claim's own reconciliation asks EC2 again.
 */
function listUnlistedBeforeRegistration(
  claims: readonly NodeClaim[],
  instances: readonly Instance[] | undefined,
  now: EpochMs,
): ReadonlySet<string> {
  if (!instances) return new Set();
  const live = new Set(instances.flatMap(({ providerId, state }) => (isLive(state) ? [providerId] : [])));
  const ended = claims.filter(
    ({ launch, registeredAt }) =>
      launch !== undefined &&
      registeredAt === undefined &&
      now >= launch.at + LISTED_AFTER_MS &&
      !live.has(launch.providerId),
  );
  return new Set(ended.map(({ name }) => name));
}

const isLive = (state: Instance['state']): boolean => state === 'pending' || state === 'running';

/**
 * @param instances - `undefined` if EC2 failed; then no instance counts as gone
 */
function createDueCheck(
  now: EpochMs,
  nodes: readonly Node[],
  instances: readonly Instance[] | undefined,
): (claim: NodeClaim) => boolean {
  const running = instances && new Set(instances.map(({ providerId }) => providerId));
  const ready = new Set(nodes.filter((node) => node.ready).map(({ providerId }) => providerId));
  // An instance may have two Nodes. If a user deletes one of them, its claim ends.
  const leaving = new Set(nodes.filter((node) => node.deletionAt !== undefined).map(({ providerId }) => providerId));

  return (claim) => {
    const { providerId } = claim.launch ?? {};
    const isSteady = claim.initializedAt !== undefined && claim.deletingAt === undefined && !isRebooting(claim);
    const isAlive =
      providerId !== undefined &&
      ready.has(providerId) &&
      !leaving.has(providerId) &&
      (running === undefined || running.has(providerId));
    return !isSteady || !isAlive || now >= (computeForcedExpiry(claim) ?? Number.POSITIVE_INFINITY);
  };
}

/** Claims whose object and record differ: changes that NodeClaim events may have missed. */
function listDivergedClaims(
  { nodeClaims, unreadable = [] }: Pick<ClusterObjects, 'nodeClaims' | 'unreadable'>,
  claims: readonly NodeClaim[],
): readonly string[] {
  const records = new Map(claims.map((claim) => [claim.name, claim]));
  const visible = new Set([...nodeClaims, ...unreadable].map(({ name }) => name));
  const changed = nodeClaims.filter((object) => hasDiverged(object, records.get(object.name)));
  const vanished = claims.filter(({ name, launch }) => launch !== undefined && !visible.has(name));
  return [...new Set([...changed, ...vanished].map(({ name }) => name))];
}

/** An object without a record is standalone, lost its record, or outlived it. */
const hasDiverged = (object: NodeClaimObject, record: NodeClaim | undefined): boolean =>
  !record ||
  (object.deletionAt !== undefined && record.deletingAt === undefined) ||
  applyObjectChanges(record, object) !== record;
