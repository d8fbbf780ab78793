import { describe, expect, it } from 'vitest';
import { generateBasicHistory, generateHistory } from './model/generate-history.ts';
import { RUNTIMES } from './model/history.ts';
import { runHistory } from './run-history.ts';

const GROUPS = 10;
const PER_GROUP = 12;

describe('a history of faults', () => {
  it.each(Array.from({ length: GROUPS }, (_, group) => 1 + group * PER_GROUP))(
    'violates no invariant: seeds from %i',
    async (first) => {
      for (let seed = first; seed < first + PER_GROUP; seed += 1) {
        const { violations } = await runHistory(generateHistory(seed));
        expect(violations, `npm run fuzz -- --history ${seed} --trace`).toEqual([]);
      }
    },
  );

  it.each([
    [301409, 'a rollout that needs one host more than its replicas, under a price cap'],
    [411671, 'a refusal that may have launched, of a replacement that a command asks for'],
  ])('no longer fails as it once did: seed %i, %s', async (seed) => {
    const { violations } = await runHistory(generateBasicHistory(seed));

    expect(violations, `npm run fuzz -- --history ${seed} --trace`).toEqual([]);
  });

  it.each(Array.from({ length: 3 }, (_, group) => 1 + group * PER_GROUP))(
    'violates no invariant in one process that watches: seeds from %i',
    async (first) => {
      for (let seed = first; seed < first + PER_GROUP; seed += 1) {
        const { violations } = await runHistory(generateHistory(seed, 'controller'));
        const replay = `npm run fuzz -- --history ${seed} --runtime controller --trace`;
        expect(violations, replay).toEqual([]);
      }
    },
  );

  it.each(RUNTIMES)('is the same for the same seed, fault by fault: %s', async (runtime) => {
    const first = await runHistory(generateHistory(2, runtime));
    const second = await runHistory(generateHistory(2, runtime));

    expect(second).toEqual(first);
  });
});
