import { describe, expect, it } from 'vitest';
import type { RequirementSpec } from '../../shared/model/requirements.ts';
import {
  ARCH,
  aCluster,
  asking,
  fakeType,
  INTEGER,
  need,
  offered,
  offering,
  poolOf,
  several,
  stepTypes,
  TYPE,
  tiny,
  Z1,
  Z2,
  ZONE,
} from './fixture.ts';
import { openTypes, provision, reasonsOf } from './provision.ts';

const atLeast = (count: number, requirement: RequirementSpec): RequirementSpec => ({
  ...requirement,
  minValues: count,
});
const A = fakeType('a', { cpus: 1, gib: 1 });
const B = fakeType('b', { cpus: 4, gib: 4 });
const twoTypes = (...requirements: RequirementSpec[]) =>
  aCluster({
    types: [A, B],
    priced: [...offered(A, 0.52), ...offered(B, 1)],
    pools: [poolOf(...requirements)],
  });

describe('minValues (M01-M06)', () => {
  it('M01: a node takes no pods that would leave too few types', () => {
    const cluster = twoTypes(atLeast(2, need(TYPE, 'In', 'a', 'b')));
    const outcome = provision(cluster, ...several(2, 'p', { requests: asking(0.9, 0.9) }));

    expect(outcome.plan.claims.map(({ claim }) => claim.instanceTypes)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  const steps = (...requirements: RequirementSpec[]) =>
    aCluster({ types: stepTypes(4), pools: [poolOf(...requirements)] });
  it.each<[string, RequirementSpec[], string[] | 'unmet']>([
    ['Gt, met', [atLeast(2, need(INTEGER, 'Gt', '2'))], ['fake-it-2', 'fake-it-3']],
    ['Gt, unmet', [atLeast(3, need(INTEGER, 'Gt', '2'))], 'unmet'],
    ['Lt, met', [atLeast(2, need(INTEGER, 'Lt', '3'))], ['fake-it-0', 'fake-it-1']],
    [
      'the larger of two',
      [atLeast(1, need(INTEGER, 'Gt', '1')), atLeast(2, need(INTEGER, 'Lt', '4'))],
      ['fake-it-1', 'fake-it-2'],
    ],
    [
      'the larger of two, unmet',
      [atLeast(1, need(INTEGER, 'Gt', '1')), atLeast(3, need(INTEGER, 'Lt', '4'))],
      'unmet',
    ],
    [
      'In and NotIn',
      [
        atLeast(1, need(TYPE, 'In', 'fake-it-0', 'fake-it-1', 'fake-it-2')),
        atLeast(2, need(TYPE, 'NotIn', 'fake-it-0')),
      ],
      ['fake-it-1', 'fake-it-2'],
    ],
  ])('M02: %s', (_, requirements, types) => {
    const outcome = provision(steps(...requirements), tiny('a'));

    if (types === 'unmet') expect(reasonsOf(outcome)).toEqual(['min-values-unmet']);
    else expect(openTypes(outcome)).toEqual(types);
  });

  it('M03: more than there are types fails', () => {
    const types = stepTypes(10);
    const cluster = aCluster({ types, pools: [poolOf(atLeast(11, need(TYPE, 'Exists')))] });

    expect(provision(cluster, tiny('a')).pending).toEqual(['a']);
  });

  it.each([
    ['both architectures', 'arm64', []],
    ['one architecture only', 'amd64', ['a']],
  ])('M05: on two keys, with types of %s', (_, arch, pending) => {
    const types = [A, { ...B, labels: { ...B.labels, [ARCH]: arch } }];
    const pool = poolOf(atLeast(1, need(TYPE, 'Exists')), atLeast(2, need(ARCH, 'Exists')));

    expect(provision(aCluster({ types, pools: [pool] }), tiny('a')).pending).toEqual(pending);
  });

  it.each([
    [2, []],
    [3, ['p']],
  ])('M06: %i zones, with types in two', (count, pending) => {
    const cluster = aCluster({
      types: [A],
      priced: [offering(A, 'on-demand', Z1, 1), offering(A, 'on-demand', Z2, 1)],
      pools: [poolOf(atLeast(count, need(ZONE, 'Exists')))],
    });

    expect(provision(cluster, tiny('p')).pending).toEqual(pending);
  });

  it('is written to the claim, for the launch to hold to', () => {
    const cluster = twoTypes(atLeast(2, need(TYPE, 'In', 'a', 'b')));
    const { plan } = provision(cluster, tiny('p'));

    expect(plan.claims[0]?.claim.requirements).toContainEqual(
      atLeast(2, need(TYPE, 'In', 'a', 'b')),
    );
  });
});
