import { describe, expect, it } from 'vitest';
import { FAULTS } from './faults.ts';
import { FIRST_FIXES } from './first-fixes.ts';
import { drawSituation, runSituation } from './run-situation.ts';

const SEED = 1;
const KINDS = Object.keys(FAULTS);

describe('the first fix of a broken cluster', () => {
  it.each(KINDS.map((kind, index) => ({ kind, index })))('repairs one fault: $kind', ({ kind, index }) => {
    const { fix, repairs, unsaid, missed } = runSituation(drawSituation(SEED, index, 1));

    expect(fix).toBe(FIRST_FIXES[kind]);
    expect({ repairs, unsaid, missed }).toEqual({ repairs: true, unsaid: [], missed: undefined });
  });

  it('repairs most pairs of faults, and changes no architecture unsaid', () => {
    const results = KINDS.slice(0, 20).map((_, index) => runSituation(drawSituation(SEED, index, 2)));

    expect(results.filter(({ repairs }) => !repairs).map(({ kinds }) => kinds)).toHaveLength(1);
    expect(results.flatMap(({ unsaid }) => unsaid)).toEqual([]);
  });
});
