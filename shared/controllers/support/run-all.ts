/**
 * Takes each step in its turn, whatever becomes of those before it.
 *
 * @throws what a step threw; of several an AggregateError
 */
export async function allTheSame(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  failFor(failures);
}

/** Does the same for each, side by side. @see endOfAll */
export const forEachAllTheSame = <T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> => endOfAll(items.map(work));

/** The same, a few at a time: what nobody waits for leaves room for what somebody does. */
export async function forEachInTurns<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane));
  failFor(failures);
}

/**
 * Waits for all of what is under way, also when some of it has failed: a function that answers
 * before stands still with the rest, and goes on with it whenever it is called again.
 *
 * @throws what failed; of several an AggregateError
 */
export async function endOfAll(underWay: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(underWay);
  failFor(
    results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : [])),
  );
}

/** Steps that rest on the same thing fail with the same error. */
function failFor(failures: readonly unknown[]): void {
  const [first, ...others] = new Set(failures);
  if (failures.length === 0) return;
  if (others.length === 0) throw first;
  // Logs show the message alone, and a thousand of the same kind say no more than three.
  const causes = [...new Set([first, ...others].map(String))].slice(0, MOST_CAUSES).join('; ');
  throw new AggregateError([first, ...others], `${others.length + 1} parts failed: ${causes}`);
}

const MOST_CAUSES = 3;
