import type { DisruptionReason, NodePool } from '../model/nodes/node-pool.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../model/time.ts';
import { listAllowedStretches } from './budget-stretches.ts';
import type { FindPace, Pace } from './budgets.ts';

/**
 * While the budgets of a pool allow no disruption, moves pile up. If all of them started when the
 * budgets allow disruption again, every workload of the pool would lose pods in the same minutes.
 * They are spread over the first half of the window instead, over an hour at most:
 *
 *     closed            | open                                      | closed
 *     moves pile up     | spread, at the pace    | budgets alone    |
 *                   openedAt                 spreadUntil         closesAt
 *
 * The pace is the number of nodes under disruption at a time with which the nodes that still wait
 * are done when the spread ends. It is computed anew for each decision, so it needs no memory:
 * while moves take longer than expected it rises, and at the end of the spread it has no limit. The
 * second half of the window is left for drains that take long. The rule follows from the snapshot
 * alone: the same cluster at the same time has the same pace.
 *
 * @param countWaiting - counts the nodes that wait for disruption or are under it
 */
export const spreadMoves =
  (reason: DisruptionReason, now: EpochMs, countWaiting: (pool: NodePool) => number): FindPace =>
  (pool, nodes) => {
    const spread = findSpread(pool, reason, nodes, now);
    return spread && { ...spread, nodes: computePace(spread.until, countWaiting(pool), now) };
  };

/** After this time a long window is the normal operation of the pool. */
export const MAX_SPREAD_MS = HOUR_MS;

/** The time that one move usually takes: the launch of its replacement and the drain. */
export const MOVE_MS = 5 * MINUTE_MS;

/**
 * Finds the spread that is under way; `undefined` if the budgets of the pool have allowed
 * disruption for long, or do not allow it now.
 *
 * @param nodes - as for `computeAllowedDisruptions`
 */
export function findSpread(
  pool: NodePool,
  reason: DisruptionReason,
  nodes: number,
  now: EpochMs,
): Omit<Pace, 'nodes'> | undefined {
  // Half of a window that lasts longer is more than the longest spread.
  const [from, to] = [now - MAX_SPREAD_MS, now + 2 * MAX_SPREAD_MS];
  const closed = listAllowedStretches(pool, reason, nodes, { from, to }).filter((stretch) => stretch.nodes === 0);
  const openedAt = closed.findLast((stretch) => stretch.from <= now)?.to;
  if (openedAt === undefined || openedAt > now) return undefined;
  const closesAt = closed.find((stretch) => stretch.from > now)?.from ?? Infinity;
  const until = openedAt + Math.min((closesAt - openedAt) / 2, MAX_SPREAD_MS);
  return until > now ? { openedAt, until } : undefined;
}

/**
 * Computes how many nodes may be under disruption at a time. At least one, so that no move starves.
 *
 * @param waiting - nodes that wait for disruption or are under it
 */
export function computePace(until: EpochMs, waiting: number, now: EpochMs): number {
  // The last moves must have ended when the spread does.
  const lastStart = until - MOVE_MS;
  if (lastStart <= now) return Infinity;
  return Math.max(1, Math.ceil((waiting * MOVE_MS) / (lastStart - now)));
}
