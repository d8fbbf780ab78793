import type { Reason } from '../model/explanations/reasons.ts';
import type { Budget, DisruptionReason, NodePool } from '../model/nodes/node-pool.ts';
import { isRebooting } from '../model/nodes/reboot.ts';
import { type EpochMs, formatInstant } from '../model/time.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';
import { findWindow } from './budget-window.ts';

/** Number of nodes of a pool that may be disrupted at a time, and the budget entry that sets it. */
interface AllowedDisruptions {
  /** Infinity if no budget is active. */
  readonly nodes: number;
  readonly budget?: Budget;
  /** Why the budget entry cannot be read, and therefore allows nothing. */
  readonly fault?: string;
}

/**
 * Computes what a pool's budgets allow for a reason.
 *
 * An unreadable budget allows nothing, for any reason: a misspelt safeguard must not permit
 * disruption.
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
    const window = findWindow(budget, now);
    if (window.kind === 'scheduled' && window.opensAt > now) continue;
    if (window.kind === 'unreadable') return { nodes: 0, budget, fault: window.fault };
    const value = parseNodeCount(budget.nodes, nodes);
    if (value === undefined) {
      return { nodes: 0, budget, fault: `"${budget.nodes}" is no number of nodes` };
    }
    const appliesToReason = budget.reasons === undefined || budget.reasons.includes(reason);
    if (appliesToReason && value < allowed.nodes) allowed = { nodes: value, budget };
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

/** Windows that follow each other without a gap are looked through up to this number. */
const MAX_WINDOWS = 100;

/**
 * Finds when a pool that its budgets close now may be disrupted again: at the end of a window, once
 * no other budget allows 0 nodes.
 *
 * @param nodes - as for `computeAllowedDisruptions`
 * @returns `undefined` if the pool is open, or if it stays closed
 */
export function findNextOpening(
  pool: NodePool,
  reason: DisruptionReason,
  nodes: number,
  now: EpochMs,
): EpochMs | undefined {
  let at = now;
  for (let windows = 0; windows < MAX_WINDOWS; windows++) {
    const { nodes: allowed, budget } = computeAllowedDisruptions(pool, reason, nodes, at);
    if (allowed > 0) return at > now ? at : undefined;
    const window = budget && findWindow(budget, at);
    if (window?.kind !== 'scheduled') return undefined;
    at = window.closesAt;
  }
  return undefined;
}

/** Limits the moves of a pool while they are spread over a window that has just opened. */
export interface Pace {
  /** Nodes that may be under disruption at a time. */
  readonly nodes: number;
  readonly openedAt: EpochMs;
  /** From then on, only budgets limit the moves. */
  readonly until: EpochMs;
}

/** Finds the pace of a pool with so many nodes; `undefined` if its moves are not spread. */
export type FindPace = (pool: NodePool, nodes: number) => Pace | undefined;

/** Tracks how much of the pools' budgets for one reason is left while a plan is made. */
export interface BudgetTracker {
  /** Why the pool may lose no further node; `undefined` if it may. */
  refusalFor(pool: NodePool): Reason | undefined;
  /** True if a window of the pool has just opened, so that its moves are spread. */
  isSpread(pool: NodePool): boolean;
  /** Uses up one node of the pool's budget. */
  take(pool: NodePool): void;
  /** A tracker with the same remaining budgets, to try out several moves. */
  copy(): BudgetTracker;
}

/**
 * Creates a tracker. Nodes under disruption for any reason, and nodes that are not Ready, use up
 * the budget of every reason.
 *
 * @param busy - claims that running commands remove
 * @param findPace - by default no moves are spread
 */
export function createBudgetTracker(
  existingNodes: readonly ExistingNode[],
  reason: DisruptionReason,
  busy: ReadonlySet<string>,
  now: EpochMs,
  findPace: FindPace = () => undefined,
): BudgetTracker {
  return trackAccounts(new Map());

  function trackAccounts(accounts: Map<string, BudgetAccount>): BudgetTracker {
    function findAccount(pool: NodePool) {
      let account = accounts.get(pool.name);
      if (!account) {
        const nodes = existingNodes.filter((existingNode) => isCounted(existingNode, pool));
        const disrupting = nodes.filter((existingNode) => isDisrupted(existingNode, busy)).length;
        const allowed = computeAllowedDisruptions(pool, reason, nodes.length, now);
        const pace = findPace(pool, nodes.length);
        account = { nodes: nodes.length, allowed, ...(pace && { pace }), disrupting, taken: 0 };
        accounts.set(pool.name, account);
      }
      return account;
    }

    return {
      isSpread: (pool) => findAccount(pool).pace !== undefined,
      refusalFor(pool) {
        const { nodes, allowed, pace, disrupting, taken } = findAccount(pool);
        if (disrupting + taken < allowed.nodes) {
          return pace && disrupting + taken >= pace.nodes ? buildSpreadReason(reason, pace) : undefined;
        }
        const fields = {
          pool: pool.name,
          budget: allowed.budget?.nodes ?? 'none',
          reason,
          disrupting: `${disrupting + taken}`,
          allowed: `${allowed.nodes}`,
        };
        if (allowed.nodes > 0) return { code: 'budget-exhausted', fields };
        const { fault } = allowed;
        if (fault !== undefined) return { code: 'budget-unreadable', fields: { ...fields, fault } };
        const opensAt = findNextOpening(pool, reason, nodes, now);
        const opening = opensAt !== undefined && { opensAt: formatInstant(opensAt) };
        return { code: 'budget-closed', fields: { ...fields, ...opening } };
      },
      take(pool) {
        findAccount(pool).taken += 1;
      },
      copy: () => trackAccounts(new Map([...accounts].map(([name, account]) => [name, { ...account }]))),
    };
  }
}

const buildSpreadReason = (reason: DisruptionReason, { nodes, openedAt, until }: Pace): Reason => ({
  code: 'window-spread',
  fields: {
    reason,
    openedAt: formatInstant(openedAt),
    nodes: `${nodes}`,
    until: formatInstant(until),
  },
});

interface BudgetAccount {
  /** The pool's nodes that percentages refer to. */
  readonly nodes: number;
  readonly allowed: AllowedDisruptions;
  readonly pace?: Pace;
  readonly disrupting: number;
  taken: number;
}

const isCounted = ({ claim, node }: ExistingNode, pool: NodePool): boolean =>
  claim?.pool === pool.name &&
  node !== undefined &&
  (claim.initializedAt !== undefined || isRebooting(claim)) &&
  claim.terminatingAt === undefined;

const isDisrupted = ({ claim, node, leaving }: ExistingNode, busy: ReadonlySet<string>): boolean =>
  leaving || node?.ready !== true || (claim !== undefined && (busy.has(claim.name) || isRebooting(claim)));
