import { awaitAll } from '../../model/concurrency.ts';
import { RESERVATION_ID_LABEL } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';
import type { InterruptionNotice, NodeChange } from '../../ports/work-queue.ts';
import { deleteClaim } from '../support/claim-writes.ts';
import { requestDisruption } from '../support/hints.ts';
import { canHandleNotice } from '../support/ownership.ts';
import { unlessUnreadable } from '../support/unreadable-records.ts';

/** Time from EC2's notice to the end of the instance, for spot and for reservations. */
const NOTICE_MS = 2 * MINUTE_MS;
/** The record of a new launch may be written this much later than the notice arrives. */
const MAX_RECORD_DELAY_MS = 20 * SECOND_MS;
const RETRY_AFTER_MS = 5 * SECOND_MS;

/** A notice needs nothing of EC2, so the function that handles it starts without its client. */
type NoticePorts = Omit<PortsOf<'interruption'>, 'cloud'>;

/** Notices that arrive for every instance of the account. The sweep detects the same changes. */
const COVERED_BY_SWEEP: ReadonlySet<InterruptionNotice['kind']> = new Set([
  'instance-stopped',
  'instance-terminated',
  'state-change',
]);

/**
 * Handles a notice of EC2. A notice of an interruption is trusted, because no API shows that state.
 */
export async function reconcileInterruption(ports: NoticePorts, notice: InterruptionNotice): Promise<void> {
  if (!(await canHandleNotice(ports))) return;
  const stored = await findClaim(ports, notice);
  if (!stored) return retryWhileFresh(ports, notice);

  switch (notice.kind) {
    case 'rebalance-recommendation':
      return handleRebalance(ports, stored);
    case 'spot-interruption':
    case 'reservation-interruption':
      return handleInterruption(ports, stored.claim, notice);
    case 'scheduled-change':
      return handleScheduledChange(ports, stored.claim);
    case 'instance-stopped':
    case 'instance-terminated':
      return ports.queue.send({ topic: 'claim', claim: stored.claim.name, inDoubt: true });
    case 'state-change':
      return ports.queue.send({ topic: 'claim', claim: stored.claim.name });
  }
}

/**
 * Has the claim of a changed Node looked at. The public intake reports these changes, so that nothing
 * else may follow from them.
 */
export async function reconcileNodeChange(
  ports: Pick<Ports<'claim'>, 'ownership' | 'nodeClaims' | 'queue'>,
  notice: NodeChange,
): Promise<void> {
  if (!(await canHandleNotice(ports))) return;
  const stored = await findClaim(ports, notice);
  if (stored) await ports.queue.send({ topic: 'claim', claim: stored.claim.name });
}

/** Most notices are for instances of others, and a storm brings hundreds, so no list is read. */
async function findClaim(
  { nodeClaims }: Pick<NoticePorts, 'nodeClaims'>,
  { providerId }: InterruptionNotice,
): Promise<StoredNodeClaim | undefined> {
  const instance = toInstanceId(providerId);
  if (instance === undefined) return undefined;
  return unlessUnreadable(() => nodeClaims.findByInstance(instance));
}

/** EventBridge events carry the instance id without the zone. */
const toInstanceId = (providerId: string): string | undefined => providerId.split('/').at(-1);

/**
 * Reports a rebalance recommendation. Most of these instances stay, so by default nothing is moved. If
 * the operator wants them replaced, the claim counts as drifted: its replacement is launched first,
 * elsewhere if possible, and budgets hold.
 */
async function handleRebalance(ports: NoticePorts, { claim, version }: StoredNodeClaim): Promise<void> {
  const { decisionLog, clock, nodeClaims, settings } = ports;
  const { name, deletingAt, launch, rebalanceRecommendedAt } = claim;
  if (deletingAt !== undefined) return;
  const at = clock.now();
  const isReplaced = launch !== undefined && settings?.rebalancePolicy === 'Replace';
  if (isReplaced && rebalanceRecommendedAt === undefined) {
    await markShortage(ports, claim, at);
    await nodeClaims.save({ ...claim, rebalanceRecommendedAt: at }, version);
    await requestDisruption(ports, at);
  }
  const event = { kind: 'rebalance', at, claim: name } as const;
  await decisionLog.recordEvent(isReplaced ? { ...event, replaced: true } : event);
}

async function handleInterruption(ports: NoticePorts, claim: NodeClaim, notice: InterruptionNotice): Promise<void> {
  const now = ports.clock.now();
  const isReserved = notice.kind === 'reservation-interruption';
  const interruption = isReserved ? 'capacity_reservation_interrupted' : 'spot_interrupted';
  const deadline = notice.at + NOTICE_MS;
  const deletion = { removal: 'Interrupted', interruption, at: now, deadline } as const;
  const deleting = deleteClaim(ports, claim.name, deletion);
  // The plan that the deletion requests starts later than both have ended.
  await awaitAll([deleting, markShortage(ports, claim, now)]);
  if (!(await deleting)) return;
  const event = { kind: 'interruption', at: now, claim: claim.name, deadline } as const;
  await ports.decisionLog.recordEvent(isReserved ? { ...event, reserved: true } : event);
}

/** EC2 takes instances of an offering, or a reservation, for want of capacity: their replacements use others. */
async function markShortage({ unavailableOfferings }: NoticePorts, { launch }: NodeClaim, now: EpochMs): Promise<void> {
  if (!launch) return;
  const { instanceType, zone, capacityType, labels } = launch;
  const { [RESERVATION_ID_LABEL]: reservationId } = labels;
  await unavailableOfferings.mark([{ instanceType, zone, capacityType, ...(reservationId && { reservationId }) }], now);
}

/** Deletes the claim without a deadline: there is time for a drain that respects every budget. */
async function handleScheduledChange(ports: NoticePorts, { name }: NodeClaim): Promise<void> {
  const at = ports.clock.now();
  const cause = 'scheduled_change';
  const deletion = { removal: 'Interrupted', interruption: cause, at } as const;
  if (!(await deleteClaim(ports, name, deletion))) return;
  await ports.decisionLog.recordEvent({ kind: 'impaired', at, claim: name, cause });
}

async function retryWhileFresh({ clock, queue }: NoticePorts, notice: InterruptionNotice): Promise<void> {
  if (COVERED_BY_SWEEP.has(notice.kind)) return;
  const retryAt = clock.now() + RETRY_AFTER_MS;
  if (retryAt > notice.at + MAX_RECORD_DELAY_MS) return;
  await queue.send({ topic: 'interruption', notice }, retryAt);
}
