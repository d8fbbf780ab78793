import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Runtime } from './model/history.ts';
import type { HistoryResult } from './run-history.ts';

/** Runs the histories of all seeds on all cores; results arrive in no particular order. */
export async function runSeeds(
  seeds: Iterable<number>,
  runtime: Runtime,
  onResult: (result: HistoryResult) => void,
  cores: number = availableParallelism(),
): Promise<void> {
  const queue = Iterator.from(seeds);
  await Promise.all(Array.from({ length: cores }, () => runWorker(queue, runtime, onResult)));
}

/** Takes seeds from the queue until it is empty. */
async function runWorker(
  queue: IteratorObject<number>,
  runtime: Runtime,
  onResult: (result: HistoryResult) => void,
): Promise<void> {
  const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), {
    workerData: runtime,
  });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  const run = (seed: number): Promise<HistoryResult> =>
    new Promise((resolve) => {
      worker.once('message', resolve);
      worker.postMessage(seed);
    });
  try {
    for (const seed of queue) onResult(await Promise.race([run(seed), failed]));
  } finally {
    await worker.terminate();
  }
}
