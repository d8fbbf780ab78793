import { parseCron } from '../model/cron.ts';
import { nextHit } from '../model/cron-hits.ts';
import type { Budget, DisruptionReason, NodePool } from '../model/node-pool.ts';
import type { EpochMs } from '../model/time.ts';

/** How many nodes of a pool may be going away now, and the entry that says so. */
export interface Allowed {
  /** Infinity when no budget is active. */
  readonly nodes: number;
  readonly budget?: Budget;
}

/**
 * What a pool's budgets allow for a reason.
 *
 * A budget that cannot be read allows nothing, for any reason: a guard that is misspelt must not
 * open the door.
 *
 * @param nodes - the pool's managed, initialized nodes whose instances are not terminating
 */
export function allowedDisruptions(
  { disruption: { budgets } }: NodePool,
  reason: DisruptionReason,
  nodes: number,
  now: EpochMs,
): Allowed {
  let allowed: Allowed = { nodes: Infinity };
  for (const budget of budgets) {
    const state = stateOf(budget, now);
    const value = state === 'active' ? nodesOf(budget.nodes, nodes) : undefined;
    const unreadable = state === 'unreadable' || (state === 'active' && value === undefined);
    if (unreadable) return { nodes: 0, budget };
    const concerns = budget.reasons === undefined || budget.reasons.includes(reason);
    if (value !== undefined && concerns && value < allowed.nodes)
      allowed = { nodes: value, budget };
  }
  return allowed;
}

function nodesOf(written: string, nodes: number): number | undefined {
  if (/^\d+$/.test(written)) return Number(written);
  const share = /^(\d{1,3})%$/.exec(written)?.[1];
  const percent = Number(share);
  if (share === undefined || percent > 100) return undefined;
  return Math.ceil((percent * nodes) / 100);
}

/**
 * A window opens at each hit of the schedule and stays open for the duration: the hit itself is
 * inside, the end is not. A schedule that can never hit counts as open, which errs on the safe side.
 */
function stateOf(
  { schedule, durationMs }: Budget,
  now: EpochMs,
): 'active' | 'inactive' | 'unreadable' {
  if (schedule === undefined && durationMs === undefined) return 'active';
  if (schedule === undefined || durationMs === undefined) return 'unreadable';
  const cron = parseCron(schedule);
  if (!cron) return 'unreadable';
  // Strictly after, so the end is outside.
  const hit = nextHit(cron, now - durationMs);
  if (hit === undefined) return 'active';
  return hit <= now ? 'active' : 'inactive';
}

/** When the first closed window of the pool opens, for people who wait. */
export function nextOpening(
  { disruption: { budgets } }: NodePool,
  now: EpochMs,
): EpochMs | undefined {
  const ends = budgets.flatMap(({ schedule, durationMs = 0 }) => {
    const cron = schedule === undefined ? undefined : parseCron(schedule);
    const hit = cron && nextHit(cron, now - durationMs);
    return hit === undefined ? [] : [hit + durationMs];
  });
  return ends.length > 0 ? Math.min(...ends) : undefined;
}
