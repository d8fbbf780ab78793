import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WELL_KNOWN_LABELS, ZONE_LABEL } from '../../../shared/model/labels.ts';
import { allowsAbsence, allowsValue, EXISTS, isIn } from '../../../shared/model/requirements/requirement.ts';
import {
  findConflict,
  intersectRequirements,
  matchesLabels,
  NO_REQUIREMENTS,
  toLabelRequirements,
  toRequirements,
} from '../../../shared/model/requirements/requirements.ts';
import { anyRequirement, anyValue, INCOMING } from './any-requirement.ts';

describe('sets of requirements', () => {
  it('intersect two requirements of the same key', () => {
    const all = toRequirements([
      { key: 'k', operator: 'In', values: ['a', 'b'] },
      { key: 'k', operator: 'NotIn', values: ['a'] },
    ]);

    expect(all).toEqual(new Map([['k', isIn('b')]]));
  });

  it('read legacy keys as the stable ones', () => {
    const all = toRequirements([
      { key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['z1', 'z2'] },
      { key: 'topology.ebs.csi.aws.com/zone', operator: 'In', values: ['z2'] },
    ]);

    expect(all).toEqual(new Map([[ZONE_LABEL, isIn('z2')]]));
    expect(toLabelRequirements({ 'beta.kubernetes.io/arch': 'arm64' })).toEqual(
      new Map([['kubernetes.io/arch', isIn('arm64')]]),
    );
  });

  it('contain the keys of all sets together', () => {
    const all = intersectRequirements(
      toLabelRequirements({ a: '1' }),
      toRequirements([
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'Gt', values: ['3'] },
      ]),
    );

    expect(all).toEqual(
      new Map([
        ['a', isIn('1')],
        ['b', { ...EXISTS, gte: 4 }],
      ]),
    );
  });

  it('match the labels of a node like each single requirement', () => {
    fc.assert(
      fc.property(anyRequirement, fc.option(anyValue, { nil: undefined }), (one, value) => {
        const labels = value === undefined ? {} : { k: value };
        const expected = value === undefined ? allowsAbsence(one) : allowsValue(one, value);
        expect(matchesLabels(new Map([['k', one]]), labels)).toBe(expected);
      }),
    );
  });
});

describe('findConflict', () => {
  it.each(Object.entries(INCOMING))('treats %s of an undefined key like Karpenter', (name, expected) => {
    const custom = findConflict(NO_REQUIREMENTS, new Map([['team', expected]]), WELL_KNOWN_LABELS);
    const strict = findConflict(NO_REQUIREMENTS, new Map([[ZONE_LABEL, expected]]));
    const loose = findConflict(NO_REQUIREMENTS, new Map([[ZONE_LABEL, expected]]), WELL_KNOWN_LABELS);

    const isMet = name === 'NotIn' || name === 'DoesNotExist';
    expect(custom).toEqual(isMet ? undefined : { key: 'team', expected: expected });
    expect(strict).toEqual(isMet ? undefined : { key: ZONE_LABEL, expected: expected });
    expect(loose).toBeUndefined();
  });

  it('names the first conflicting key, with both requirements', () => {
    const given = toRequirements([{ key: 'a', operator: 'In', values: ['x'] }]);
    const expected = toRequirements([
      { key: 'a', operator: 'In', values: ['y'] },
      { key: 'b', operator: 'Exists' },
    ]);

    expect(findConflict(given, expected)).toEqual({
      key: 'a',
      expected: isIn('y'),
      given: isIn('x'),
    });
  });
});
