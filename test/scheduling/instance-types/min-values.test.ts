import { describe, expect, it } from 'vitest';
import type { RequirementSpec } from '../../../shared/model/requirements/requirement-specs.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import {
  ARCH,
  aCluster,
  aPoolRequiring,
  createOfferings,
  createPods,
  createStepTypes,
  fakeType,
  INTEGER,
  need,
  offering,
  requesting,
  TYPE,
  tiny,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { listOpenTypes, listReasonCodes, type ProvisionOutcome, provision } from '../support/provision.ts';

const atLeast = (count: number, requirement: RequirementSpec): RequirementSpec => ({
  ...requirement,
  minValues: count,
});
const FAMILY = 'karpenter.k8s.aws/instance-family';
const A = fakeType('a', { cpus: 1, gib: 1 });
const B = fakeType('b', { cpus: 4, gib: 4 });
const twoTypes = (...requirements: RequirementSpec[]) =>
  aCluster({
    types: [A, B],
    priced: [...createOfferings(A, 0.52), ...createOfferings(B, 1)],
    pools: [aPoolRequiring(...requirements)],
  });

describe('minValues', () => {
  it('keep pods off a node that would leave too few types', () => {
    const cluster = twoTypes(atLeast(2, need(TYPE, 'In', 'a', 'b')));
    const outcome = provision(cluster, ...createPods(2, 'p', { requests: requesting(0.9, 0.9) }));

    expect(outcome.plan.claims.map(({ claim }) => claim.instanceTypes)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  const steps = (...requirements: RequirementSpec[]) =>
    aCluster({ types: createStepTypes(4), pools: [aPoolRequiring(...requirements)] });
  it.each<[string, RequirementSpec[], string[] | 'unmet']>([
    ['Gt, met', [atLeast(2, need(INTEGER, 'Gt', '2'))], ['fake-it-2', 'fake-it-3']],
    ['Gt, unmet', [atLeast(3, need(INTEGER, 'Gt', '2'))], 'unmet'],
    ['Lt, met', [atLeast(2, need(INTEGER, 'Lt', '3'))], ['fake-it-0', 'fake-it-1']],
    [
      'the larger of two',
      [atLeast(1, need(INTEGER, 'Gt', '1')), atLeast(2, need(INTEGER, 'Lt', '4'))],
      ['fake-it-1', 'fake-it-2'],
    ],
    ['the larger of two, unmet', [atLeast(1, need(INTEGER, 'Gt', '1')), atLeast(3, need(INTEGER, 'Lt', '4'))], 'unmet'],
    [
      'In and NotIn',
      [
        atLeast(1, need(TYPE, 'In', 'fake-it-0', 'fake-it-1', 'fake-it-2')),
        atLeast(2, need(TYPE, 'NotIn', 'fake-it-0')),
      ],
      ['fake-it-1', 'fake-it-2'],
    ],
  ])('respect %s', (_, requirements, types) => {
    const outcome = provision(steps(...requirements), tiny('a'));

    if (types === 'unmet') expect(listReasonCodes(outcome)).toEqual(['min-values-unmet']);
    else expect(listOpenTypes(outcome)).toEqual(types);
  });

  it('fail if they exceed the number of types', () => {
    const types = createStepTypes(10);
    const cluster = aCluster({ types, pools: [aPoolRequiring(atLeast(11, need(TYPE, 'Exists')))] });

    expect(provision(cluster, tiny('a')).pending).toEqual(['a']);
  });

  it.each([
    ['both architectures', 'arm64', []],
    ['one architecture only', 'amd64', ['a']],
  ])('apply to two keys, with types of %s', (_, arch, pending) => {
    const types = [A, { ...B, labels: { ...B.labels, [ARCH]: arch } }];
    const pool = aPoolRequiring(atLeast(1, need(TYPE, 'Exists')), atLeast(2, need(ARCH, 'Exists')));

    expect(provision(aCluster({ types, pools: [pool] }), tiny('a')).pending).toEqual(pending);
  });

  it.each([
    [2, []],
    [3, ['p']],
  ])('require %i zones, with types in two', (count, pending) => {
    const cluster = aCluster({
      types: [A],
      priced: [offering(A, 'on-demand', Z1, 1), offering(A, 'on-demand', Z2, 1)],
      pools: [aPoolRequiring(atLeast(count, need(ZONE, 'Exists')))],
    });

    expect(provision(cluster, tiny('p')).pending).toEqual(pending);
  });

  it('keep the types that they need when a long list is truncated', () => {
    const types = createStepTypes(700).map((type, step) => ({
      ...type,
      labels: { ...type.labels, [FAMILY]: step === 699 ? 'rare' : 'usual' },
    }));
    const cluster = aCluster({
      types,
      pools: [aPoolRequiring(atLeast(2, need(FAMILY, 'Exists')))],
    });
    const [claim] = provision(cluster, tiny('a')).plan.claims;

    expect(claim?.claim.instanceTypes).toHaveLength(600);
    expect(claim?.claim.instanceTypes.slice(-2)).toEqual(['fake-it-598', 'fake-it-699']);
  });

  it('are written to the claim, so that the launch respects them', () => {
    const cluster = twoTypes(atLeast(2, need(TYPE, 'In', 'a', 'b')));
    const { plan } = provision(cluster, tiny('p'));

    expect(plan.claims[0]?.claim.requirements).toContainEqual(atLeast(2, need(TYPE, 'In', 'a', 'b')));
  });
});

describe('minValues with the BestEffort policy', () => {
  const settings = { ...DEFAULT_SETTINGS, minValuesPolicy: 'BestEffort' } as const;
  const relaxed = ({ plan }: ProvisionOutcome) =>
    plan.claims.map(({ claim }) => claim.annotations['karpenter.sh/nodeclaim-min-values-relaxed']);
  const minValuesOf = ({ plan }: ProvisionOutcome) =>
    Object.fromEntries(
      (plan.claims[0]?.claim.requirements ?? []).flatMap(({ key, minValues }) =>
        minValues === undefined ? [] : [[key, minValues]],
      ),
    );

  it('accept as many types as there are', () => {
    const cluster = { ...twoTypes(atLeast(3, need(TYPE, 'Exists'))), settings };
    const outcome = provision(cluster, tiny('a'));

    expect(minValuesOf(outcome)).toEqual({ [TYPE]: 2 });
    expect(relaxed(outcome)).toEqual(['true']);
  });

  it('are relaxed for a heavier NodePool before a lighter one is used', () => {
    const pools = [
      { ...aPoolRequiring(atLeast(3, need(TYPE, 'Exists'))), name: 'heavy', weight: 100 },
      { ...aPoolRequiring(atLeast(2, need(TYPE, 'Exists'))), name: 'light', weight: 50 },
    ];
    const outcome = provision(aCluster({ types: [A, B], pools, settings }), tiny('a'));

    expect(outcome.plan.claims.map(({ claim }) => claim.pool)).toEqual(['heavy']);
    expect(relaxed(outcome)).toEqual(['true']);
  });

  it.each([
    ['zones', [], { [ZONE]: 2 }],
    ['zones and types', [atLeast(3, need(TYPE, 'Exists'))], { [ZONE]: 2, [TYPE]: 1 }],
  ])('%s are each lowered to what is available', (_, more, expected) => {
    const cluster = aCluster({
      types: [A],
      priced: [offering(A, 'on-demand', Z1, 1), offering(A, 'on-demand', Z2, 1)],
      pools: [aPoolRequiring(atLeast(3, need(ZONE, 'Exists')), ...more)],
      settings,
    });

    expect(minValuesOf(provision(cluster, tiny('p')))).toEqual(expected);
  });

  it('are not relaxed if that is not needed', () => {
    const cluster = { ...twoTypes(atLeast(2, need(TYPE, 'In', 'a', 'b'))), settings };
    const outcome = provision(cluster, ...createPods(2, 'p', { requests: requesting(0.9, 0.9) }));

    expect(relaxed(outcome)).toEqual(['false', 'false']);
    expect(minValuesOf(outcome)).toEqual({ [TYPE]: 2 });
  });
});
