/**
 * Runs the steps one after the other, also after one has failed.
 *
 * @throws the error of the step that failed; an AggregateError if several failed
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

/**
 * Does `work` for all items at once and waits for all of it.
 *
 * @see awaitAll
 */
export const forEachConcurrently = <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> =>
  awaitAll(items.map(work));

/**
 * Does `work` for all items, at most `limit` at a time, so that work in the background leaves room
 * for urgent work.
 *
 * @throws the error of the item that failed; an AggregateError if several failed
 */
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
 * Returns a function that starts work as soon as fewer than `limit` earlier ones are running, in the
 * order of the calls.
 */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The next one takes over the place, so that a new call cannot take it in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/**
 * Returns a function that joins the work that is under way, so that callers of the same moment cause
 * it once. The arguments of a call that joins are ignored.
 */
export function shareWhileRunning<Args extends readonly unknown[], T>(
  work: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  let running: Promise<T> | undefined;
  return (...args) => {
    running ??= work(...args).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * Waits for all promises, also if some fail. A Lambda function must not answer earlier: it would be
 * frozen with work in flight and continue that work in a later invocation.
 *
 * @throws the error of the promise that failed; an AggregateError if several failed
 */
export async function awaitAll(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  throwFailures(results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : [])));
}

/** Steps with the same cause may throw the same error object, which is reported once. */
function throwFailures(failures: readonly unknown[]): void {
  const [first, ...others] = new Set(failures);
  if (failures.length === 0) return;
  if (others.length === 0) throw first;
  // Logs show only the message, and the first three causes are enough to recognise a mass failure.
  const causes = [...new Set([first, ...others].map(String))].slice(0, MAX_CAUSES).join('; ');
  throw new AggregateError([first, ...others], `${others.length + 1} parts failed: ${causes}`);
}

const MAX_CAUSES = 3;

/** Splits items into batches of at most `size`, in their order. */
export const splitIntoBatches = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
