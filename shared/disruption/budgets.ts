import { nextHit, parseCron } from '../model/cron.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import type { Budget, DisruptionReason, NodePool } from '../model/nodes/node-pool.ts';
import type { EpochMs } from '../model/time.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';

/** How many nodes of a pool may be going away now, and the entry that says so. */
interface AllowedDisruptions {
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
export function computeAllowedDisruptions(
  { disruption: { budgets } }: NodePool,
  reason: DisruptionReason,
  nodes: number,
  now: EpochMs,
): AllowedDisruptions {
  let allowed: AllowedDisruptions = { nodes: Infinity };
  for (const budget of budgets) {
    const state = evaluateWindow(budget, now);
    const value = state === 'active' ? parseNodeCount(budget.nodes, nodes) : undefined;
    const isUnreadable = state === 'unreadable' || (state === 'active' && value === undefined);
    if (isUnreadable) return { nodes: 0, budget };
    const appliesToReason = budget.reasons === undefined || budget.reasons.includes(reason);
    if (value !== undefined && appliesToReason && value < allowed.nodes)
      allowed = { nodes: value, budget };
  }
  return allowed;
}

function parseNodeCount(written: string, nodes: number): number | undefined {
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
function evaluateWindow(
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
export function computeNextOpening(
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

/** What is left of the pools' budgets for one reason while a plan is made. */
export interface BudgetTracker {
  /** Why the pool may lose no further node; undefined while it may. */
  refusalFor(pool: NodePool): Reason | undefined;
  /** Uses up one node of the pool's budget. */
  take(pool: NodePool): void;
}

/**
 * Every node that is going, for whatever cause, and every node that is not Ready uses up the budget
 * of every reason.
 *
 * @param busy - claims of commands under way
 */
export function createBudgetTracker(
  bins: readonly ExistingNode[],
  reason: DisruptionReason,
  busy: ReadonlySet<string>,
  now: EpochMs,
): BudgetTracker {
  const accounts = new Map<
    string,
    { allowed: AllowedDisruptions; disrupting: number; taken: number }
  >();

  function findAccount(pool: NodePool) {
    let account = accounts.get(pool.name);
    if (!account) {
      const nodes = bins.filter((bin) => isCounted(bin, pool));
      const disrupting = nodes.filter((bin) => isDisrupted(bin, busy)).length;
      account = {
        allowed: computeAllowedDisruptions(pool, reason, nodes.length, now),
        disrupting,
        taken: 0,
      };
      accounts.set(pool.name, account);
    }
    return account;
  }

  return {
    refusalFor(pool) {
      const { allowed, disrupting, taken } = findAccount(pool);
      if (disrupting + taken < allowed.nodes) return undefined;
      const fields = {
        pool: pool.name,
        budget: allowed.budget?.nodes ?? 'none',
        reason,
        disrupting: `${disrupting + taken}`,
        allowed: `${allowed.nodes}`,
      };
      return { code: 'budget-exhausted', fields };
    },
    take(pool) {
      findAccount(pool).taken += 1;
    },
  };
}

const isCounted = ({ claim, node }: ExistingNode, pool: NodePool): boolean =>
  claim?.pool === pool.name &&
  node !== undefined &&
  claim.initializedAt !== undefined &&
  claim.terminatingAt === undefined;

const isDisrupted = ({ claim, node, leaving }: ExistingNode, busy: ReadonlySet<string>): boolean =>
  leaving || node?.ready !== true || (claim !== undefined && busy.has(claim.name));
