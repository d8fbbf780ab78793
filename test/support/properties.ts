import fc from 'fast-check';

/**
 * Property tests use the same cases in every run. `SEED=any npm test` uses new cases each time, and
 * `SEED=<number>` repeats them.
 */
const { SEED = '20261121' } = process.env;
if (SEED !== 'any') fc.configureGlobal({ seed: Number(SEED) });
