import type { DisruptionReason, NodePool } from '../model/node-pool.ts';
import type { Reason } from '../model/reasons.ts';
import type { EpochMs } from '../model/time.ts';
import type { ExistingBin } from '../scheduling/input/existing-nodes.ts';
import { type Allowed, allowedDisruptions } from './budgets.ts';

/** What is left of the pools' budgets for one reason while a plan is made. */
export interface BudgetBook {
  /** Why the pool may lose no further node; undefined while it may. */
  refusal(pool: NodePool): Reason | undefined;
  /** Uses up one node of the pool's budget. */
  take(pool: NodePool): void;
}

/**
 * Every node that is going, for whatever cause, and every node that is not Ready uses up the budget
 * of every reason.
 *
 * @param busy - claims of commands under way
 */
export function budgetBook(
  bins: readonly ExistingBin[],
  reason: DisruptionReason,
  busy: ReadonlySet<string>,
  now: EpochMs,
): BudgetBook {
  const accounts = new Map<string, { allowed: Allowed; disrupting: number; taken: number }>();

  function accountOf(pool: NodePool) {
    let account = accounts.get(pool.name);
    if (!account) {
      const nodes = bins.filter((bin) => isCounted(bin, pool));
      const disrupting = nodes.filter((bin) => isDisrupted(bin, busy)).length;
      account = {
        allowed: allowedDisruptions(pool, reason, nodes.length, now),
        disrupting,
        taken: 0,
      };
      accounts.set(pool.name, account);
    }
    return account;
  }

  return {
    refusal(pool) {
      const { allowed, disrupting, taken } = accountOf(pool);
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
      accountOf(pool).taken += 1;
    },
  };
}

const isCounted = ({ claim, node }: ExistingBin, pool: NodePool): boolean =>
  claim?.pool === pool.name &&
  node !== undefined &&
  claim.initializedAt !== undefined &&
  claim.terminatingAt === undefined;

const isDisrupted = ({ claim, node, leaving }: ExistingBin, busy: ReadonlySet<string>): boolean =>
  leaving || node?.ready !== true || (claim !== undefined && busy.has(claim.name));
