const AGAIN_MS = 2_000;

/**
 * Reads from the server, and again at an interval until there is an answer.
 *
 * @param read - its answer is undefined if the server has none, for example while it starts
 * @param restMs - waits this long before the first read, so that reads which are stopped at once
 *   send no request
 * @returns a function that stops the reading; an answer that arrives later is dropped
 */
export function readUntilAnswered<T>(
  read: () => Promise<T | undefined>,
  onAnswer: (answer: T) => void,
  restMs = 0,
): () => void {
  let isStopped = false;
  const readOnce = async () => {
    const answer = await read().catch(() => undefined);
    if (isStopped) return;
    if (answer === undefined) timer = setTimeout(readOnce, AGAIN_MS);
    else onAnswer(answer);
  };
  let timer = setTimeout(readOnce, restMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
