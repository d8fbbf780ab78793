import fc from 'fast-check';
import { describe, it } from 'vitest';
import { anyChurnCase, checkSteadiness } from './no-churn.ts';

const FIRST_SEED = 20261121;
const SEEDS = Array.from({ length: 20 }, (_, index) => FIRST_SEED + index);

/**
 * `npx vitest run --project heavy test/disruption/no-churn.heavy.test.ts`: 10,000 clusters in parts of 500. A
 * failure ends its part at once, because shrinking takes minutes; `path` of the report repeats it.
 */
describe('a steady state of 10,000 clusters', () => {
  it.each(SEEDS)('does not change until the world does, and no node returns: seed %i', (seed) => {
    fc.assert(fc.property(anyChurnCase, checkSteadiness), {
      seed,
      numRuns: 500,
      endOnFailure: true,
    });
  });
});
