/** So long a call waits for others to go with it. */
const GATHERED_FOR_MS = 10;

export interface MergedCalls<T> {
  /** EC2 takes so many ids at once. */
  readonly most: number;
  /** One request for all. What it does not answer, or all of it if it fails, is asked for singly. */
  all(ids: readonly string[]): Promise<ReadonlyMap<string, { readonly answer: T }>>;
  one(id: string): Promise<T>;
}

/**
 * Calls that are made at about the same time become one request: EC2 counts requests, not instances.
 * One that is alone is made as it is.
 */
export function mergedCalls<T>({ most, all, one }: MergedCalls<T>): (id: string) => Promise<T> {
  let waiting = new Map<string, Promise<T>>();
  let answers: ReturnType<typeof all> | undefined;

  async function answerAll(gathered: ReadonlyMap<string, unknown>) {
    await new Promise((resolve) => setTimeout(resolve, GATHERED_FOR_MS));
    close(gathered);
    if (gathered.size < 2) return NONE;
    return all([...gathered.keys()]).catch(() => NONE);
  }

  /** Who comes now starts another request. */
  function close(gathered: ReadonlyMap<string, unknown>): void {
    if (waiting !== gathered) return;
    waiting = new Map();
    answers = undefined;
  }

  return (id) => {
    const gathered = waiting;
    const before = gathered.get(id);
    if (before) return before;
    answers ??= answerAll(gathered);
    const answer = answers.then(async (found) => {
      const entry = found.get(id);
      return entry ? entry.answer : one(id);
    });
    gathered.set(id, answer);
    if (gathered.size >= most) close(gathered);
    return answer;
  };
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
