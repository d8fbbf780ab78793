import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowsAbsence,
  allowsValue,
  DOES_NOT_EXIST,
  EXISTS,
  intersectRequirement,
  intersects,
  isCompatibleRequirement,
  isIn,
  type Requirement,
} from '../../../shared/model/requirements/requirement.ts';
import type { Operator } from '../../../shared/model/requirements/requirement-specs.ts';
import { allowed, anyRequirement, anyValue, INCOMING, requirement, VALUES } from './any-requirement.ts';

describe('requirements', () => {
  it.each<[Operator, string[], string[]]>([
    ['In', ['a', '5'], ['a', '5']],
    ['NotIn', ['a', '5'], ['b', '', '0', '1', '2', '3', '9', '-1', '07', '1e3']],
    ['NotIn', [], VALUES],
    ['Exists', [], VALUES],
    ['DoesNotExist', [], []],
    ['Gt', ['3'], ['5', '9', '07']],
    ['Lt', ['3'], ['0', '1', '2', '-1']],
    ['Gte', ['3'], ['3', '5', '9', '07']],
    ['Lte', ['3'], ['0', '1', '2', '3', '-1']],
    ['Gt', ['9223372036854775807'], []],
  ])('with %s %j allow %j', (operator, values, expected) => {
    expect(allowed(requirement(operator, values))).toEqual(expected);
  });

  it.each<[Operator, string[], boolean]>([
    ['In', ['a'], false],
    ['NotIn', ['a'], true],
    ['NotIn', [], false],
    ['Exists', [], false],
    ['DoesNotExist', [], true],
    ['Gt', ['3'], false],
  ])('with %s %j are satisfied by a node without the label: %s', (operator, values, expected) => {
    expect(allowsAbsence(requirement(operator, values))).toBe(expected);
  });

  it('require a value if they have bounds, even together with NotIn', () => {
    const bounded = intersectRequirement(requirement('NotIn', ['5']), requirement('Gt', ['1']));

    expect(allowsAbsence(bounded)).toBe(false);
  });
});

describe('the intersection of requirements', () => {
  it.each<[string, Requirement, Requirement, Requirement]>([
    [
      'NotIn{1,2} and Gt 1',
      requirement('NotIn', ['1', '2']),
      requirement('Gt', ['1']),
      { complement: true, values: new Set(['2']), gte: 2 },
    ],
    ['NotIn{A} and Gt 1', requirement('NotIn', ['A']), requirement('Gt', ['1']), { ...EXISTS, gte: 2 }],
    ['In{A} and NotIn{1,2}', isIn('A'), requirement('NotIn', ['1', '2']), isIn('A')],
    ['In{1,9} and Lt 9', isIn('1', '9'), requirement('Lt', ['9']), isIn('1')],
    ['Gt 1 and Lt 9', requirement('Gt', ['1']), requirement('Lt', ['9']), { ...EXISTS, gte: 2, lte: 8 }],
    ['Gt 9 and Lt 1', requirement('Gt', ['9']), requirement('Lt', ['1']), DOES_NOT_EXIST],
    [
      'In{A,B} minValues 1 and In{B,C} minValues 2',
      requirement('In', ['A', 'B'], 1),
      requirement('In', ['B', 'C'], 2),
      { ...isIn('B'), minValues: 2 },
    ],
  ])("of %s equals Karpenter's", (_, remaining, right, expected) => {
    expect(intersectRequirement(remaining, right)).toEqual(expected);
    expect(intersectRequirement(right, remaining)).toEqual(expected);
  });

  it('allows a value if and only if both allow it', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, anyValue, (a, b, value) => {
        expect(allowsValue(intersectRequirement(a, b), value)).toBe(allowsValue(a, value) && allowsValue(b, value));
      }),
    );
  });

  it('does not depend on the order', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, (a, b) => {
        expect(intersectRequirement(a, b)).toEqual(intersectRequirement(b, a));
      }),
    );
  });

  it('does not depend on the grouping', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, anyRequirement, (a, b, c) => {
        const remaining = intersectRequirement(intersectRequirement(a, b), c);
        const right = intersectRequirement(a, intersectRequirement(b, c));
        expect(allowed(remaining)).toEqual(allowed(right));
        expect(remaining.minValues).toBe(right.minValues);
      }),
    );
  });

  it('of a requirement with itself is the requirement', () => {
    fc.assert(
      fc.property(anyRequirement, (one) => {
        expect(intersectRequirement(one, one)).toEqual(one);
      }),
    );
  });

  it('is never empty while a value is allowed', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, (a, b) => {
        const common = VALUES.some((value) => allowsValue(a, value) && allowsValue(b, value));
        expect(intersects(a, b) || !common).toBe(true);
      }),
    );
  });
});

const ALL = 'In NotIn Exists DoesNotExist Gt';

describe('isCompatibleRequirement', () => {
  it.each<[string, Requirement, string]>([
    ['In{1,2}', isIn('1', '2'), 'In NotIn Exists Gt'],
    ['In{1}', isIn('1'), 'In Exists'],
    ['In{2}', isIn('2'), 'NotIn Exists Gt'],
    ['In{a}', isIn('a'), 'NotIn Exists'],
    ['NotIn{1}', requirement('NotIn', ['1']), 'NotIn Exists DoesNotExist Gt'],
    ['NotIn{2}', requirement('NotIn', ['2']), ALL],
    ['Exists', EXISTS, 'In NotIn Exists Gt'],
    ['DoesNotExist', DOES_NOT_EXIST, 'NotIn DoesNotExist'],
    ['Lt 2', requirement('Lt', ['2']), 'In NotIn Exists'],
    ['Lt 9', requirement('Lt', ['9']), 'In NotIn Exists Gt'],
    ['Gt 5', requirement('Gt', ['5']), 'NotIn Exists Gt'],
  ])('accepts %s together with %3$s', (_, given, expected) => {
    const compatible = Object.keys(INCOMING).filter((name) => isCompatibleRequirement(given, INCOMING[name] ?? EXISTS));

    expect(compatible.join(' ')).toBe(expected);
  });

  it('excludes Exists together with DoesNotExist, in either order', () => {
    expect(isCompatibleRequirement(EXISTS, DOES_NOT_EXIST)).toBe(false);
    expect(isCompatibleRequirement(DOES_NOT_EXIST, EXISTS)).toBe(false);
    expect(isCompatibleRequirement(DOES_NOT_EXIST, requirement('NotIn', ['x']))).toBe(true);
  });
});
