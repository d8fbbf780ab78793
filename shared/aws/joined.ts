/**
 * Joins calls into few requests, without a timer: those of one moment go together, and those that
 * come while a request is under way wait for it and are the next.
 *
 * @param load - answers many keys at once; if it fails, so do all whose keys were in it
 * @param most - keys in one request
 */
export function joined<V>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  most: number,
): (key: string) => Promise<V | undefined> {
  let open: Batch<V> | undefined;
  let lastIsDone: Promise<unknown> = Promise.resolve();

  function openBatch(): Batch<V> {
    const keys = new Set<string>();
    const answers = lastIsDone.then(() => {
      if (open?.keys === keys) open = undefined;
      return load([...keys]);
    });
    lastIsDone = answers.catch(() => {});
    return { keys, answers };
  }

  return async (key) => {
    if (!open || open.keys.size >= most) open = openBatch();
    open.keys.add(key);
    return (await open.answers).get(key);
  };
}

interface Batch<V> {
  readonly keys: Set<string>;
  readonly answers: Promise<ReadonlyMap<string, V>>;
}
