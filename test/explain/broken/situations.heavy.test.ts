import { expect, it } from 'vitest';
import { drawSituation, runSituation, type SituationResult } from './run-situation.ts';

const SEED = 1;
const SITUATIONS = 250;

const runAll = (faults: 1 | 2): readonly SituationResult[] =>
  Array.from({ length: SITUATIONS }, (_, index) => runSituation(drawSituation(SEED, index, faults)));

const shareOf = (results: readonly SituationResult[]): number =>
  results.filter(({ repairs }) => repairs).length / results.length;

it.each([
  [1, 0.95],
  [2, 0.85],
] as const)('repairs clusters with %i faults by the first fix, in at least this share: %f', (faults, minShare) => {
  const results = runAll(faults);

  expect(shareOf(results)).toBeGreaterThanOrEqual(minShare);
  expect(results.filter(({ missed }) => missed !== undefined)).toEqual([]);
  expect(results.filter(({ unsaid }) => unsaid.length > 0)).toEqual([]);
});
