import fc from 'fast-check';
import { describe, it } from 'vitest';
import { anyChurnCase, checkSteadiness } from './no-churn.ts';

describe('a steady state', () => {
  it('does not change until the world does, and no node returns to what it was', {
    timeout: 60_000,
  }, () => {
    fc.assert(fc.property(anyChurnCase, checkSteadiness), { numRuns: 15 });
  });
});
