import { describe, expect, it } from 'vitest';
import { generateHistory } from './model/generate-history.ts';
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
    const { violations } = await runHistory(generateHistory(seed));

    expect(violations, `npm run fuzz -- --history ${seed} --trace`).toEqual([]);
  });

  it('is the same for the same seed, fault by fault', async () => {
    const first = await runHistory(generateHistory(2));
    const second = await runHistory(generateHistory(2));

    expect(second).toEqual(first);
  });
});
