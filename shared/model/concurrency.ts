/**
 * Takes each step in its turn, whatever becomes of those before it.
 *
 * @throws what a step threw; of several an AggregateError
 */
export async function runSequentially(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  throwFailures(failures);
}

/** Does the same for each, side by side. @see awaitAll */
export const forEachConcurrently = <T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> => awaitAll(items.map(work));

/** The same, a few at a time: what nobody waits for leaves room for what somebody does. */
export async function forEachWithLimit<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  throwFailures(failures);
}

/**
 * Waits for all of what is under way, also when some of it has failed: a function that answers
 * before stands still with the rest, and goes on with it whenever it is called again.
 *
 * @throws what failed; of several an AggregateError
 */
export async function awaitAll(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  throwFailures(
    results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : [])),
  );
}

/** Steps that rest on the same thing fail with the same error. */
function throwFailures(failures: readonly unknown[]): void {
  const [first, ...others] = new Set(failures);
  if (failures.length === 0) return;
  if (others.length === 0) throw first;
  // Logs show the message alone, and a thousand of the same kind say no more than three.
  const causes = [...new Set([first, ...others].map(String))].slice(0, MAX_CAUSES).join('; ');
  throw new AggregateError([first, ...others], `${others.length + 1} parts failed: ${causes}`);
}

const MAX_CAUSES = 3;
