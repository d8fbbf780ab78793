import { computeAllowedDisruptions, computeNextOpening } from '../../shared/disruption/budgets.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { phaseOf } from '../../shared/model/nodes/node-claim.ts';
import type { DisruptionReason, NodePool } from '../../shared/model/nodes/node-pool.ts';
import { formatMinute, plural } from '../format.ts';
import type { DisruptionsView } from '../views.ts';
import type { ConsoleFacts } from './facts.ts';

const REASONS: readonly DisruptionReason[] = ['Underutilized', 'Empty', 'Drifted'];

/** Computes the allowed disruptions for the reason with the most. */
export function disruptionsView({
  snapshot,
  commands,
  clock,
}: Pick<ConsoleFacts, 'snapshot' | 'commands' | 'clock'>): DisruptionsView {
  const candidates = new Set(commands.flatMap((command) => command.candidates));
  const isGoing = (claim: NodeClaim) =>
    claim.deletingAt !== undefined || candidates.has(claim.name);

  const perPool = snapshot.pools.map((pool) => {
    const own = snapshot.claims.filter((claim) => claim.pool === pool.name && isSettled(claim));
    const going = own.filter(isGoing).length;
    const allowed = Math.max(
      ...REASONS.map((reason) => allowedIn(pool, reason, own.length, clock.now)),
    );
    return { allowed: Math.max(0, allowed - going), going };
  });
  const closed = snapshot.pools.flatMap((pool) => computeNextOpening(pool, clock.now) ?? []);
  return {
    allowed: perPool.reduce((sum, { allowed }) => sum + allowed, 0),
    inProgress: perPool.reduce((sum, { going }) => sum + going, 0),
    text:
      closed.length > 0
        ? `next window ${formatMinute(Math.min(...closed))}`
        : `budgets of ${plural(snapshot.pools.length, 'NodePool')}`,
  };
}

const isSettled = (claim: NodeClaim): boolean =>
  claim.initializedAt !== undefined && phaseOf(claim) !== 'terminating';

/** Without a budget all nodes are allowed. */
const allowedIn = (pool: NodePool, reason: DisruptionReason, nodes: number, now: number): number =>
  Math.min(nodes, computeAllowedDisruptions(pool, reason, nodes, now).nodes);
