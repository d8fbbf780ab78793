import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WELL_KNOWN_LABELS, ZONE_LABEL } from '../../shared/model/labels.ts';
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
} from '../../shared/model/requirement.ts';
import {
  formatRequirement,
  type Operator,
  type RequirementSpec,
  toRequirement,
  toRequirementSpecs,
} from '../../shared/model/requirement-specs.ts';
import {
  findConflict,
  intersectRequirements,
  matchesLabels,
  NO_REQUIREMENTS,
  requirementsOfLabels,
  toRequirements,
} from '../../shared/model/requirements.ts';

const requirement = (
  operator: Operator,
  values: readonly string[] = [],
  minValues?: number,
): Requirement =>
  toRequirement({ key: 'k', operator, values, ...(minValues === undefined ? {} : { minValues }) });

const VALUES = ['a', 'b', '', '0', '1', '2', '3', '5', '9', '-1', '07', '1e3'];
const anyValue = fc.constantFrom(...VALUES);
const anySpec: fc.Arbitrary<RequirementSpec> = fc.oneof(
  fc.record({
    key: fc.constant('k'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.uniqueArray(anyValue, { maxLength: 5 }),
  }),
  fc.record({
    key: fc.constant('k'),
    operator: fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'),
    values: fc.tuple(fc.nat({ max: 9 }).map(String)),
  }),
);
/** Anything that manifests can say: the intersection of up to three requirements. */
const anyRequirement = fc
  .array(anySpec, { minLength: 1, maxLength: 3 })
  .map((specs) => specs.map(toRequirement).reduce(intersectRequirement));

const allowed = (one: Requirement): readonly string[] =>
  VALUES.filter((value) => allowsValue(one, value));

describe('a requirement', () => {
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
  ])('%s %j allows %j', (operator, values, expected) => {
    expect(allowed(requirement(operator, values))).toEqual(expected);
  });

  it.each<[Operator, string[], boolean]>([
    ['In', ['a'], false],
    ['NotIn', ['a'], true],
    ['NotIn', [], false],
    ['Exists', [], false],
    ['DoesNotExist', [], true],
    ['Gt', ['3'], false],
  ])('%s %j is met by a node without the label: %s', (operator, values, expected) => {
    expect(allowsAbsence(requirement(operator, values))).toBe(expected);
  });

  it('demands a value once it is bounded, even beside NotIn (trap A2)', () => {
    const bounded = intersectRequirement(requirement('NotIn', ['5']), requirement('Gt', ['1']));

    expect(allowsAbsence(bounded)).toBe(false);
  });
});

describe('the intersection of requirements', () => {
  it.each<[string, Requirement, Requirement, Requirement]>([
    [
      'R34: NotIn{1,2} and Gt 1',
      requirement('NotIn', ['1', '2']),
      requirement('Gt', ['1']),
      { complement: true, values: new Set(['2']), gte: 2 },
    ],
    [
      'NotIn{A} and Gt 1',
      requirement('NotIn', ['A']),
      requirement('Gt', ['1']),
      { ...EXISTS, gte: 2 },
    ],
    ['In{A} and NotIn{1,2}', isIn('A'), requirement('NotIn', ['1', '2']), isIn('A')],
    ['In{1,9} and Lt 9', isIn('1', '9'), requirement('Lt', ['9']), isIn('1')],
    [
      'Gt 1 and Lt 9',
      requirement('Gt', ['1']),
      requirement('Lt', ['9']),
      { ...EXISTS, gte: 2, lte: 8 },
    ],
    ['R34: Gt 9 and Lt 1', requirement('Gt', ['9']), requirement('Lt', ['1']), DOES_NOT_EXIST],
    [
      'In{A,B} minValues 1 and In{B,C} minValues 2',
      requirement('In', ['A', 'B'], 1),
      requirement('In', ['B', 'C'], 2),
      { ...isIn('B'), minValues: 2 },
    ],
  ])('of %s is as Karpenter has it', (_, left, right, expected) => {
    expect(intersectRequirement(left, right)).toEqual(expected);
    expect(intersectRequirement(right, left)).toEqual(expected);
  });

  it('allows a value when, and only when, both allow it', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, anyValue, (a, b, value) => {
        expect(allowsValue(intersectRequirement(a, b), value)).toBe(
          allowsValue(a, value) && allowsValue(b, value),
        );
      }),
    );
  });

  it('is the same in either order', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, (a, b) => {
        expect(intersectRequirement(a, b)).toEqual(intersectRequirement(b, a));
      }),
    );
  });

  it('is the same however it is grouped', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, anyRequirement, (a, b, c) => {
        const left = intersectRequirement(intersectRequirement(a, b), c);
        const right = intersectRequirement(a, intersectRequirement(b, c));
        expect(allowed(left)).toEqual(allowed(right));
        expect(left.minValues).toBe(right.minValues);
      }),
    );
  });

  it('with itself is itself', () => {
    fc.assert(
      fc.property(anyRequirement, (one) => {
        expect(intersectRequirement(one, one)).toEqual(one);
      }),
    );
  });

  it('is never found empty where a value is left', () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, (a, b) => {
        const common = VALUES.some((value) => allowsValue(a, value) && allowsValue(b, value));
        expect(intersects(a, b) || !common).toBe(true);
      }),
    );
  });
});

/** Columns of scheduling.md 2.4: what a pod asks. */
const INCOMING: Readonly<Record<string, Requirement>> = {
  In: isIn('1'),
  NotIn: requirement('NotIn', ['1']),
  Exists: EXISTS,
  DoesNotExist: DOES_NOT_EXIST,
  Gt: requirement('Gt', ['1']),
};
const ALL = 'In NotIn Exists DoesNotExist Gt';

describe('compatibility of what is given and what is asked', () => {
  it.each<[string, Requirement, string]>([
    ['In{1,2}', isIn('1', '2'), 'In NotIn Exists Gt'],
    ['In{1}', isIn('1'), 'In Exists'],
    ['In{2}', isIn('2'), 'NotIn Exists Gt'],
    ['In{a}', isIn('a'), 'NotIn Exists'],
    ['NotIn{1}', requirement('NotIn', ['1']), 'NotIn Exists DoesNotExist Gt'],
    ['NotIn{2}', requirement('NotIn', ['2']), ALL],
    ['Exists', EXISTS, 'In NotIn Exists Gt'],
    ['R35: DoesNotExist', DOES_NOT_EXIST, 'NotIn DoesNotExist'],
    ['Lt 2', requirement('Lt', ['2']), 'In NotIn Exists'],
    ['Lt 9', requirement('Lt', ['9']), 'In NotIn Exists Gt'],
    ['Gt 5', requirement('Gt', ['5']), 'NotIn Exists Gt'],
  ])('%s goes with %3$s', (_, given, expected) => {
    const compatible = Object.keys(INCOMING).filter((name) =>
      isCompatibleRequirement(given, INCOMING[name] ?? EXISTS),
    );

    expect(compatible.join(' ')).toBe(expected);
  });

  it('R35: Exists and DoesNotExist exclude each other, whichever is asked', () => {
    expect(isCompatibleRequirement(EXISTS, DOES_NOT_EXIST)).toBe(false);
    expect(isCompatibleRequirement(DOES_NOT_EXIST, EXISTS)).toBe(false);
    expect(isCompatibleRequirement(DOES_NOT_EXIST, requirement('NotIn', ['x']))).toBe(true);
  });

  it.each(Object.entries(INCOMING))('asks %s of a key that nobody defines', (name, wanted) => {
    const custom = findConflict(NO_REQUIREMENTS, new Map([['team', wanted]]), WELL_KNOWN_LABELS);
    const strict = findConflict(NO_REQUIREMENTS, new Map([[ZONE_LABEL, wanted]]));
    const loose = findConflict(NO_REQUIREMENTS, new Map([[ZONE_LABEL, wanted]]), WELL_KNOWN_LABELS);

    const isMet = name === 'NotIn' || name === 'DoesNotExist';
    expect(custom).toEqual(isMet ? undefined : { key: 'team', wanted });
    expect(strict).toEqual(isMet ? undefined : { key: ZONE_LABEL, wanted });
    expect(loose).toBeUndefined();
  });

  it('names the first key in conflict, with both sides', () => {
    const given = toRequirements([{ key: 'a', operator: 'In', values: ['x'] }]);
    const wanted = toRequirements([
      { key: 'a', operator: 'In', values: ['y'] },
      { key: 'b', operator: 'Exists' },
    ]);

    expect(findConflict(given, wanted)).toEqual({ key: 'a', wanted: isIn('y'), given: isIn('x') });
  });
});

describe('sets of requirements', () => {
  it('intersect what is written twice for one key', () => {
    const all = toRequirements([
      { key: 'k', operator: 'In', values: ['a', 'b'] },
      { key: 'k', operator: 'NotIn', values: ['a'] },
    ]);

    expect(all).toEqual(new Map([['k', isIn('b')]]));
  });

  it('R27: read legacy keys as the stable ones', () => {
    const all = toRequirements([
      { key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['z1', 'z2'] },
      { key: 'topology.ebs.csi.aws.com/zone', operator: 'In', values: ['z2'] },
    ]);

    expect(all).toEqual(new Map([[ZONE_LABEL, isIn('z2')]]));
    expect(requirementsOfLabels({ 'beta.kubernetes.io/arch': 'arm64' })).toEqual(
      new Map([['kubernetes.io/arch', isIn('arm64')]]),
    );
  });

  it('hold the keys of all sets together', () => {
    const all = intersectRequirements(
      requirementsOfLabels({ a: '1' }),
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

  it('match the labels of a node as each requirement does', () => {
    fc.assert(
      fc.property(anyRequirement, fc.option(anyValue, { nil: undefined }), (one, value) => {
        const labels = value === undefined ? {} : { k: value };
        const expected = value === undefined ? allowsAbsence(one) : allowsValue(one, value);
        expect(matchesLabels(new Map([['k', one]]), labels)).toBe(expected);
      }),
    );
  });
});

describe('a requirement that is written back', () => {
  it('R37: allows the same values when it is read again', () => {
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
  ])('takes as many entries as it needs (%#)', (one, specs) => {
    expect(toRequirementSpecs('k', one)).toEqual(specs);
  });

  it('reads like the API to people', () => {
    const both = intersectRequirement(requirement('NotIn', ['5']), requirement('Gt', ['3']));

    expect(formatRequirement(isIn('a', 'b'))).toBe('In [a, b]');
    expect(formatRequirement(both)).toBe('NotIn [5] and Gte [4]');
    expect(formatRequirement(EXISTS)).toBe('Exists');
  });
});
