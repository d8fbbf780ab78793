import { withWait } from '../../lifecycle/claim-wait.ts';
import { LAUNCH_TIMEOUT_MS } from '../../lifecycle/deadlines.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import { describeMissingClass, NODE_CLASS_UNKNOWN, type NotReady } from '../../model/nodes/node-class.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { toRecord } from './standalone-claim.ts';

/**
 * How long a claim waits for a class that is missing or not ready. One apply may create the claim
 * before its class, and the class before what it selects.
 */
const APPLY_GRACE_MS = 30 * SECOND_MS;

const MIN_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = 15 * SECOND_MS;

/**
 * Finds why nothing can be launched from the EC2NodeClass of a standalone claim.
 *
 * @param types - of the class; empty until the resolved class is stored
 */
export function findClassProblem(
  { nodeClass: { name } }: NodeClaimObject,
  { nodeClassReadiness, unreadable = [] }: Pick<ClusterObjects, 'nodeClassReadiness' | 'unreadable'>,
  types: readonly InstanceType[],
): NotReady | undefined {
  const unread = unreadable.find((one) => one.kind === 'EC2NodeClass' && one.name === name);
  if (unread) return { condition: NODE_CLASS_UNKNOWN, message: unread.why };
  const existing = nodeClassReadiness?.find((candidate) => candidate.name === name);
  if (nodeClassReadiness && !existing) return describeMissingClass(name);
  if (existing?.notReady) return existing.notReady;
  if (types.length > 0) return undefined;
  return {
    condition: NODE_CLASS_UNKNOWN,
    message: `no instance types of EC2NodeClass ${name} are known yet`,
  };
}

/**
 * Shows what the claim waits for and schedules the next look. A class that is not evaluated yet has
 * the launch timeout. As in Karpenter, a claim ends if its class does not exist or is not ready.
 */
export async function awaitNodeClass(
  { cluster, clock, decisionLog, queue }: PortsOf<'nodeLifecycle'>,
  object: NodeClaimObject,
  { condition: reason, message }: NotReady,
): Promise<void> {
  const now = clock.now();
  const { name, createdAt } = object;
  const limitMs = reason === NODE_CLASS_UNKNOWN ? LAUNCH_TIMEOUT_MS : APPLY_GRACE_MS;
  const isOver = now >= createdAt + limitMs;
  const event = { at: now, claim: name, nodeClass: object.nodeClass.name, reason, text: message };

  if (isOver) {
    await decisionLog.recordEvent({ kind: 'class-not-ready', ...event, isGivenUp: true });
    return cluster.removeNodeClaim(name);
  }
  if (!isShown(object, reason)) {
    const wait = { condition: 'Launched', status: 'Unknown', reason, message } as const;
    await cluster.showWait(withWait(toRecord(object), wait, now));
    if (reason !== NODE_CLASS_UNKNOWN) await decisionLog.recordEvent({ kind: 'class-not-ready', ...event });
  }
  await queue.send({ topic: 'claim', claim: name }, computeNextLook(createdAt, limitMs, now));
}

const isShown = ({ conditions }: NodeClaimObject, reason: string): boolean =>
  conditions.some((condition) => condition.type === 'Launched' && condition.reason === reason);

/** A class is usually evaluated within seconds; a longer wait needs fewer looks. */
function computeNextLook(createdAt: EpochMs, limitMs: number, now: EpochMs): EpochMs {
  const pauseMs = Math.min(Math.max((now - createdAt) / 2, MIN_RETRY_MS), MAX_RETRY_MS);
  return Math.min(now + pauseMs, createdAt + limitMs);
}
