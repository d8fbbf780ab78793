import { MIN_POD_EVENT_INTERVAL_MS, type NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { EpochMs } from '../model/time.ts';

/** The observations that decide if consolidation may consider a node. */
export interface ConsolidationFacts {
  readonly now: EpochMs;
  /** The claim's NodePool; `undefined` if it has none, or if the pool is gone. */
  readonly pool?: Pick<NodePool, 'disruption' | 'replicas'>;
  /** The latest pod event on the claim's Node that this process knows. */
  readonly lastPodEventAt?: EpochMs;
}

/**
 * Stores the time of the last pod event and whether `consolidateAfter` has passed since then. A
 * process that starts later, or another function, knows the event only from the record.
 *
 * @returns `claim` itself if nothing changed
 */
export function trackConsolidation(claim: NodeClaim, facts: ConsolidationFacts): NodeClaim {
  if (claim.registeredAt === undefined || claim.deletingAt !== undefined) return claim;
  return markConsolidatable(withPodEvent(claim, facts), facts);
}

function withPodEvent(
  claim: NodeClaim,
  { now, lastPodEventAt = Number.NEGATIVE_INFINITY }: ConsolidationFacts,
): NodeClaim {
  const stored = claim.lastPodEventAt ?? Number.NEGATIVE_INFINITY;
  return lastPodEventAt > stored && now >= stored + MIN_POD_EVENT_INTERVAL_MS ? { ...claim, lastPodEventAt } : claim;
}

function markConsolidatable(claim: NodeClaim, facts: ConsolidationFacts): NodeClaim {
  if (!facts.pool) return claim;
  const dueAt = computeConsolidatableAt(claim, facts);
  const isDue = dueAt !== undefined && dueAt <= facts.now;
  const { consolidatableSince, ...unmarked } = claim;
  if (isDue === (consolidatableSince !== undefined)) return claim;
  return isDue ? { ...claim, consolidatableSince: facts.now } : unmarked;
}

/** `undefined` if the node is never consolidated: as it is now, and in its NodePool. */
function computeConsolidatableAt(
  { initializedAt, lastPodEventAt: stored = Number.NEGATIVE_INFINITY }: NodeClaim,
  { pool, lastPodEventAt = Number.NEGATIVE_INFINITY }: ConsolidationFacts,
): EpochMs | undefined {
  if (!pool || pool.replicas !== undefined || initializedAt === undefined) return undefined;
  const { consolidateAfterMs } = pool.disruption;
  if (consolidateAfterMs === 'Never') return undefined;
  const lastEventAt = Math.max(stored, lastPodEventAt);
  return (Number.isFinite(lastEventAt) ? lastEventAt : initializedAt) + consolidateAfterMs;
}

/** When `trackConsolidation` has to run again although nothing happens; `undefined` for never. */
export function computeNextTracking(claim: NodeClaim, facts: ConsolidationFacts): EpochMs | undefined {
  const { now, lastPodEventAt = Number.NEGATIVE_INFINITY } = facts;
  const { deletingAt, lastPodEventAt: stored, consolidatableSince } = claim;
  if (deletingAt !== undefined) return undefined;
  const isUnstored = stored !== undefined && lastPodEventAt > stored;
  const dueAt = consolidatableSince === undefined ? computeConsolidatableAt(claim, facts) : undefined;
  const times = [
    ...(isUnstored ? [stored + MIN_POD_EVENT_INTERVAL_MS] : []),
    ...(dueAt === undefined ? [] : [dueAt]),
  ].filter((time) => time > now);
  return times.length > 0 ? Math.min(...times) : undefined;
}
