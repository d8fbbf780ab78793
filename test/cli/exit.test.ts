import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exitCodeOfAll, findGravest } from '../../cli/errors.ts';

describe('the exit code', () => {
  it.for([
    [[1, 2], 2],
    [[6, 1], 1],
    [[5, 3], 3],
    [[3, 4], 4],
    [[4, 70], 70],
    [[], 0],
  ] as const)('of %j is %i', ([codes, expected]) => {
    expect(findGravest(codes)).toBe(expected);
  });

  it('does not depend on the order of the errors', () => {
    const code = fc.constantFrom('unknown-flag', 'bad-quantity', 'not-found', 'url-unreachable');
    fc.assert(
      fc.property(fc.array(code), (codes) => {
        const problems = codes.map((code) => ({ code, what: '' }));
        expect(exitCodeOfAll(problems)).toBe(exitCodeOfAll(problems.toReversed()));
      }),
    );
  });

  it('is 1 for a code that only the manifest reader uses', () => {
    expect(exitCodeOfAll([{ code: 'duplicate-object', what: '' }])).toBe(1);
  });
});
