import { describe, expect, it } from 'vitest';
import { numbersIn, SCENARIO_GROUPS, shownScenarios } from './scenario-coverage.ts';

const shown = await shownScenarios();

const all = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

describe.each(SCENARIO_GROUPS)('scenarios of $about', ({ letter, count, gaps }) => {
  const numbers = all(letter, count);
  const gapsOfGroup = Object.keys(gaps).filter((number) => number.startsWith(letter));

  it('are each shown by a test, or named as a gap', () => {
    const silent = numbers.filter((number) => !shown.has(number) && !(number in gaps));

    expect(silent).toEqual([]);
  });

  it('are no gap once a test shows them', () => {
    expect(gapsOfGroup.filter((number) => shown.has(number))).toEqual([]);
  });

  it('are gaps for a reason, and only where there is such a number', () => {
    expect(gapsOfGroup.filter((number) => !numbers.includes(number))).toEqual([]);
    expect(gapsOfGroup.filter((number) => (gaps[number] ?? '').length < 10)).toEqual([]);
  });
});

describe('the number of a scenario', () => {
  it('is read from where a title begins, alone, in a list or in a range', () => {
    const titles = ["it('I1: one'", 'it(`I2, I4: two`', '("I6-I8: three"', "('see I9'"];

    expect(numbersIn(titles.join('\n'))).toEqual(['I1', 'I2', 'I4', 'I6', 'I7', 'I8']);
  });
});
