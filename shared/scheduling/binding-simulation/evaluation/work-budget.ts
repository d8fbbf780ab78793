/**
 * Limits the work that all simulations of one plan may do together. The unit is one visit: a pod, or
 * a pod class, examines one node.
 */
export interface WorkBudget {
  /** Visits that are left; below 0 once the last piece of work has overrun the budget. */
  remaining(): number;
  isExhausted(): boolean;
  spend(visits: number): void;
  /** Runs `work` with a share of the remaining visits, and keeps what `work` does not spend. */
  withShare<T>(share: number, work: () => T): T;
  /** The same with a number of visits, or with all that remain if these are fewer. */
  withVisits<T>(visits: number, work: () => T): T;
}

export function createWorkBudget(visits: number): WorkBudget {
  let remaining = visits;

  function withVisits<T>(available: number, work: () => T): T {
    const reserved = Math.max(0, remaining - available);
    remaining -= reserved;
    const result = work();
    remaining += reserved;
    return result;
  }

  return {
    remaining: () => remaining,
    isExhausted: () => remaining <= 0,
    spend: (spent) => {
      remaining -= spent;
    },
    withShare: (share, work) => withVisits(remaining * share, work),
    withVisits,
  };
}
