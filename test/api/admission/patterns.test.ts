import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesLikeRe2, matchesRe2 } from '../../../shared/api/admission/re2.ts';
import { CRDS } from '../../../shared/api/custom-resources/crds.ts';
import { isRecord } from '../../../shared/api/schema/schema.ts';

function listPatterns(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(listPatterns);
  if (!isRecord(node)) return [];
  const own = typeof node.pattern === 'string' ? [node.pattern] : [];
  return [...own, ...Object.values(node).flatMap(listPatterns)];
}

const PATTERNS = [...new Set(listPatterns(CRDS))];

describe('The patterns of our schemas', () => {
  it.each(PATTERNS)('match the same texts as RE2 does: %s', (pattern) => {
    const matching = fc.stringMatching(new RegExp(pattern), { maxLength: 40 });
    const nearMatching = fc
      .tuple(matching, fc.constantFrom('', '\n', ' ', '\u00a0', '\v', '.', '/', '-', 'ä', '0'))
      .map(([text, end]) => text + end);
    fc.assert(
      fc.property(fc.oneof(nearMatching, fc.string({ maxLength: 12 })), (text) => {
        expect(matchesLikeRe2(pattern, text)).toBe(matchesRe2(pattern, text));
      }),
      { numRuns: 60 },
    );
  });

  it('are left to RE2 where JavaScript would repeat for hours or reads a class differently', () => {
    expect(matchesLikeRe2('^((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$', `${'a '.repeat(120)}`)).toBe(true);
    expect(matchesLikeRe2('^([a-z]+)+$', `${'a'.repeat(200)}!`)).toBe(false);
    expect(matchesLikeRe2('^[[:alpha:]]+$', 'abc')).toBe(true);
  });
});
