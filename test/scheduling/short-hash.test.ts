import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortHash } from '../../shared/scheduling/data-structures/short-hash.ts';

describe('a short hash', () => {
  it('is five characters without a vowel, which a node name may have', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(shortHash(text)).toMatch(/^[b-df-hj-np-tv-z2-9]{5}$/);
      }),
    );
  });

  it('is the same for the same text', () => {
    expect(shortHash('decision-1/general/0')).toBe(shortHash('decision-1/general/0'));
  });

  it('hardly ever is the same for the claims of one decision', () => {
    const names = Array.from({ length: 2000 }, (_, ordinal) =>
      shortHash(`2026-01-01T12:00:00Z/general/${ordinal}`),
    );

    expect(new Set(names).size).toBe(names.length);
  });
});
