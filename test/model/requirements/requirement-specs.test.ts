import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowsAbsence,
  DOES_NOT_EXIST,
  EXISTS,
  intersectRequirement,
  isIn,
  type Requirement,
} from '../../../shared/model/requirements/requirement.ts';
import {
  formatRequirement,
  type RequirementSpec,
  toRequirementSpecs,
} from '../../../shared/model/requirements/requirement-specs.ts';
import { toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { allowed, anyRequirement, requirement } from './any-requirement.ts';

describe('toRequirementSpecs', () => {
  it('writes a requirement that allows the same values when it is read again', () => {
    fc.assert(
      fc.property(anyRequirement, (one) => {
        const again = toRequirements(toRequirementSpecs('k', one)).get('k');
        expect(again && allowed(again)).toEqual(allowed(one));
        expect(again && allowsAbsence(again)).toBe(allowsAbsence(one));
      }),
    );
  });

  it.each<[Requirement, RequirementSpec[]]>([
    [isIn('b', 'a'), [{ key: 'k', operator: 'In', values: ['a', 'b'] }]],
    [EXISTS, [{ key: 'k', operator: 'Exists' }]],
    [DOES_NOT_EXIST, [{ key: 'k', operator: 'DoesNotExist' }]],
    [requirement('Gt', ['2'], 3), [{ key: 'k', operator: 'Gte', values: ['3'], minValues: 3 }]],
    [
      { complement: true, values: new Set(['5']), gte: 2, lte: 8 },
      [
        { key: 'k', operator: 'NotIn', values: ['5'] },
        { key: 'k', operator: 'Gte', values: ['2'] },
        { key: 'k', operator: 'Lte', values: ['8'] },
      ],
    ],
  ])('writes as many entries as the requirement needs (%#)', (one, specs) => {
    expect(toRequirementSpecs('k', one)).toEqual(specs);
  });

  it('formats requirements with the words of the API', () => {
    const both = intersectRequirement(requirement('NotIn', ['5']), requirement('Gt', ['3']));

    expect(formatRequirement(isIn('a', 'b'))).toBe('In [a, b]');
    expect(formatRequirement(both)).toBe('NotIn [5] and Gte [4]');
    expect(formatRequirement(EXISTS)).toBe('Exists');
  });
});
