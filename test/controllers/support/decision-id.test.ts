import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecisionId } from '../../../shared/controllers/launch/launch-groups.ts';
import { createDecisionId } from '../../../shared/controllers/support/decision-id.ts';
import { findDecisionTime } from '../../../shared/model/decision-time.ts';
import { NOON } from '../../support/builders.ts';

describe('createDecisionId', () => {
  it('names kind and time', () => {
    expect(createDecisionId('p', NOON, [])).toMatch(/^p-20260101T120000Z-[a-z0-9]{4}$/);
    expect(createDecisionId('d', NOON + 61_417, [])).toMatch(/^d-20260101T120101Z-[a-z0-9]{4}$/);
  });

  it('returns the same id for the same decision', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (content) => {
        expect(createDecisionId('p', NOON, content)).toBe(createDecisionId('p', NOON, [...content]));
      }),
    );
  });

  it.each([
    [NOON, ['a'], ['b']],
    [NOON, ['ab', 'c'], ['a', 'bc']],
    [NOON, [], ['']],
  ])('distinguishes, at %i, %o from %o', (at, one, other) => {
    expect(createDecisionId('p', at, one)).not.toBe(createDecisionId('p', at, other));
  });

  it('distinguishes two moments within a second', () => {
    expect(createDecisionId('p', NOON, [])).not.toBe(createDecisionId('p', NOON + 1, []));
  });
});

describe('the time of a decision', () => {
  it('is read in whole seconds from its id, and from the ids of its launches', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (at) => {
        const second = at - (at % 1_000);
        const id = createDecisionId('p', at, []);
        expect([id, toDecisionId(`${id}-3`)].map(findDecisionTime)).toEqual([second, second]);
      }),
    );
  });

  it('is not found in the uid of a NodeClaim', () => {
    expect(findDecisionTime(toDecisionId('b1946ac9-2c3e-4d67-9a0f-3d5f1c6f8e11'))).toBeUndefined();
  });
});
