import fc from 'fast-check';
import { describe, it } from 'vitest';
import { anyChurnCase, checkSteadiness, checkValidation } from './no-churn.ts';

describe('a steady state', () => {
  it('does not change until the world does, and no node returns to what it was', {
    timeout: 60_000,
  }, () => {
    fc.assert(fc.property(anyChurnCase, checkSteadiness), { numRuns: 15 });
  });
});

describe('the validation of a proposed move', () => {
  it('finds it again while nothing changes', { timeout: 60_000 }, () => {
    fc.assert(fc.property(anyChurnCase, checkValidation), { numRuns: 60 });
  });
});
