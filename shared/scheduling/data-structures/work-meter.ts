/**
 * Counts the work of a plan in operations, so that pods with extreme rules cannot make a plan longer
 * than its process may run. Operations, unlike time, are the same on every machine: equal snapshots
 * give equal plans. One operation is about 10 ns: one pod group that is compared with one offer, one
 * existing node that is looked at, one rule that is compared with a pod.
 */
export interface WorkMeter {
  /** Operations since the meter was created. */
  spent(): number;
  /** Operations that the present limit leaves; Infinity without one. */
  remaining(): number;
  /**
   * Counts operations; large amounts are counted before the work is done.
   *
   * @throws WorkLimitError - if the present limit is exceeded
   */
  spend(operations: number): void;
  /**
   * Runs `work` with a limit of its own.
   *
   * @returns undefined if `work` exceeded `limit`; the work that was done is lost
   * @throws WorkLimitError - if `work` exceeded the limit of an outer call
   */
  tryWithin<T extends object>(limit: number, work: () => T): T | undefined;
  /**
   * Runs `work` that only improves a result: with at most `limit` operations, and at most half of
   * what the outer call has left.
   *
   * @returns undefined if that was not enough
   */
  tryOptional<T extends object>(limit: number, work: () => T): T | undefined;
}

/** The limit of a meter is exceeded. `tryWithin` and `tryOptional` catch it. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError';

  constructor() {
    super('a plan takes more operations than it may');
  }
}

export function createWorkMeter(): WorkMeter {
  let spent = 0;
  let end = Number.POSITIVE_INFINITY;

  function runUntil<T extends object>(ownEnd: number, work: () => T): T | undefined {
    const outerEnd = end;
    end = Math.min(outerEnd, ownEnd);
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WorkLimitError) || ownEnd >= outerEnd) throw error;
      // The last amount was refused, so its work was not done.
      spent = Math.min(spent, ownEnd);
      return undefined;
    } finally {
      end = outerEnd;
    }
  }

  return {
    spent: () => spent,
    remaining: () => end - spent,
    spend(operations) {
      spent += operations;
      if (spent > end) throw new WorkLimitError();
    },
    tryWithin: (limit, work) => runUntil(spent + limit, work),
    tryOptional(limit, work) {
      const allowed = Math.min(limit, (end - spent) / 2);
      return allowed > 0 ? runUntil(spent + allowed, work) : undefined;
    },
  };
}
