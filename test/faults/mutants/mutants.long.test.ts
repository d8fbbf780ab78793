import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { MUTANTS, type Mutant } from './mutants.ts';

/** Most defects are found by one of the first hundred. */
const SEEDS = 1_500;
const TIMEOUT_MS = 600_000;

/** Runs histories over the product with the defect, in a process of its own modules. */
async function findSeed({ firstSeed = 1, file, ...defect }: Mutant): Promise<unknown> {
  const url = new URL(`../../../${file}`, import.meta.url).href;
  const worker = new Worker(new URL('./mutant-worker.ts', import.meta.url), {
    workerData: { ...defect, url, firstSeed, seeds: SEEDS },
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}

describe('histories of faults', () => {
  it.each(MUTANTS)('find a product that $title', { timeout: TIMEOUT_MS }, async (mutant) => {
    expect(await findSeed(mutant)).toEqual(expect.any(Number));
  });
});
