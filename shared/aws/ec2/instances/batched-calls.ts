/** How long a call waits for others to join its batch. */
const BATCH_WINDOW_MS = 10;

export interface BatchedCalls<T> {
  /** The number of ids that EC2 takes in one request. */
  readonly maxSize: number;
  /**
   * One request for all ids. Ids without an answer are requested one by one. If the request fails, so
   * do all calls: as many single requests would only make a service refuse more that refuses because
   * of their number.
   */
  callAll(ids: readonly string[]): Promise<ReadonlyMap<string, { readonly answer: T }>>;
  callOne(id: string): Promise<T>;
}

/**
 * Combines calls that start within a few milliseconds into one request, because EC2 limits requests,
 * not instances. A single call uses `callOne`.
 */
export function batchCalls<T>({ maxSize, callAll, callOne }: BatchedCalls<T>): (id: string) => Promise<T> {
  let openBatch = new Map<string, Promise<T>>();
  let answers: ReturnType<typeof callAll> | undefined;

  async function answerBatch(batch: ReadonlyMap<string, unknown>) {
    await new Promise((resolve) => setTimeout(resolve, BATCH_WINDOW_MS));
    close(batch);
    if (batch.size < 2) return NO_ANSWERS;
    return callAll([...batch.keys()]);
  }

  /** Later calls start another batch. */
  function close(batch: ReadonlyMap<string, unknown>): void {
    if (openBatch !== batch) return;
    openBatch = new Map();
    answers = undefined;
  }

  return (id) => {
    const batch = openBatch;
    const pending = batch.get(id);
    if (pending) return pending;
    answers ??= answerBatch(batch);
    const answer = answers.then(async (answersById) => {
      const entry = answersById.get(id);
      return entry ? entry.answer : callOne(id);
    });
    batch.set(id, answer);
    if (batch.size >= maxSize) close(batch);
    return answer;
  };
}

const NO_ANSWERS: ReadonlyMap<string, never> = new Map<string, never>();
