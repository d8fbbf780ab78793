import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { formatReason, type ReasonCode } from '../../../shared/model/explanations/reasons.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { aNode, NOON } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  affinityTo,
  aPool,
  aPoolRequiring,
  CAPACITY,
  createOfferings,
  createStepTypes,
  fakeType,
  HOSTNAME,
  need,
  requesting,
  spreadOver,
  TYPE,
  tiny,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const taint = { key: 'dedicated', effect: 'NoSchedule' } as const;
/** The first reason of the first NodePool for the unplaced pod. */
const refusal = (cluster: ClusterSnapshot, spec: Partial<PodSpec> = {}) =>
  provision(cluster, tiny('a', spec)).plan.unplaced[0]?.pools[0];

const CASES: readonly (readonly [string, ClusterSnapshot, Partial<PodSpec>, ReasonCode, object])[] = [
  [
    'an untolerated taint',
    aCluster({ pools: [aPool({ taints: [taint] })] }),
    {},
    'taint-not-tolerated',
    { pool: 'default', taint: 'dedicated:NoSchedule' },
  ],
  ['a label that nobody has', aCluster(), { nodeSelector: { team: 'red' } }, 'unknown-label', { key: 'team' }],
  [
    'a value that the pool does not allow',
    aCluster({ pools: [aPoolRequiring(need(ZONE, 'In', Z1))] }),
    { nodeSelector: { [ZONE]: Z2 } },
    'requirement-conflict',
    { key: ZONE, wanted: `In [${Z2}]`, given: `In [${Z1}]` },
  ],
  [
    'a value that no type has',
    aCluster(),
    { nodeSelector: { [ARCH]: 's390x' } },
    'requirement-conflict',
    { key: ARCH, wanted: 'In [s390x]' },
  ],
  [
    'values that no type has together',
    aCluster(),
    { nodeSelector: { [ARCH]: 'arm64', [TYPE]: 'small' } },
    'no-type-matches',
    {},
  ],
  [
    'more than the largest type has',
    aCluster(),
    { requests: requesting(20) },
    'too-large',
    { resource: 'cpu', request: '20', type: 'arm', free: '15.9' },
  ],
  [
    'amounts that no type has together',
    aCluster({
      types: [fakeType('cpu', { cpus: 16, gib: 4 }), fakeType('memory', { cpus: 2, gib: 64 })],
    }),
    { requests: requesting(8, 32) },
    'no-type-matches',
    {},
  ],
  [
    'zones in which it is not offered',
    aCluster({
      pools: [aPoolRequiring(need(CAPACITY, 'In', 'spot'))],
    }),
    { nodeSelector: { [ZONE]: Z3 } },
    'no-offering-in-zone',
    { capacityType: 'spot', zone: Z3 },
  ],
  [
    'capacity that EC2 is out of',
    aCluster({ unavailable: [{ zone: Z1, until: NOON + HOUR_MS }] }),
    { nodeSelector: { [ZONE]: Z1 } },
    'ice',
    { zone: Z1, until: '2026-01-01T13:00:00Z' },
  ],
  [
    'a limit on nodes',
    aCluster({ pools: [aPool({ limits: { nodes: 0 } })] }),
    {},
    'limit-reached',
    { resource: 'nodes', used: '0', limit: '0' },
  ],
  [
    'too few types for minValues',
    aCluster({
      pools: [aPoolRequiring({ ...need(TYPE, 'In', 'small', 'default'), minValues: 2 })],
    }),
    { requests: requesting(3) },
    'min-values-unmet',
    { key: TYPE, wanted: '2', found: '1' },
  ],
  [
    'minValues that the NodePool itself does not meet',
    aCluster({ pools: [aPoolRequiring({ ...need(TYPE, 'In', 'small', 'none'), minValues: 2 })] }),
    {},
    'min-values-unmet',
    { key: TYPE, wanted: '2', found: '1', ofPool: '1' },
  ],
  [
    'nobody to be near to',
    aCluster(),
    { podAffinity: [affinityTo('nobody', ZONE)] },
    'pod-affinity',
    { key: ZONE, selector: 'app=nobody' },
  ],
  [
    'a spread that needs more domains',
    aCluster({ pools: [aPoolRequiring(need(ZONE, 'In', 'nowhere'))] }),
    { topologySpread: [spreadOver(ZONE)] },
    'pool-has-no-types',
    {},
  ],
];

describe('the reasons of a NodePool', () => {
  it.each(CASES)('%s', (_, cluster, spec, code, fields) => {
    const reasons = refusal(cluster, spec)?.reasons;

    expect(reasons?.map((reason) => reason.code)).toEqual([code]);
    expect(reasons?.[0]?.fields).toMatchObject(fields);
  });

  it.each(CASES)('fill every field of the sentence: %s', (_, cluster, spec) => {
    const [reason] = refusal(cluster, spec)?.reasons ?? [];

    expect(reason && formatReason(reason)).not.toMatch(/[{}–]|undefined/);
  });

  it('are empty once capacity is available again', () => {
    const cluster = aCluster({ unavailable: [{ zone: Z1, until: NOON }] });

    expect(refusal(cluster, { nodeSelector: { [ZONE]: Z1 } })).toBeUndefined();
  });

  it('are listed per NodePool', () => {
    const cluster = aCluster({
      pools: [
        aPool({ name: 'tainted', taints: [taint], weight: 1 }),
        aPool({ name: 'full', limits: { cpu: 0 } }),
        aPool({ name: 'broken', ready: false }),
      ],
    });
    const { pools = [] } = provision(cluster, tiny('a')).plan.unplaced[0] ?? {};

    expect(pools.map(({ pool, reasons }) => [pool, reasons[0]?.code])).toEqual([
      ['tainted', 'taint-not-tolerated'],
      ['full', 'limit-reached'],
      ['broken', 'pool-not-ready'],
    ]);
  });
});

describe('the offering funnel', () => {
  it('shrinks with each condition and ends where no offering is left', () => {
    // Four sizes with five offerings each, two of them spot.
    const cluster = aCluster({
      types: createStepTypes(4),
      pools: [{ ...aPoolRequiring(need(CAPACITY, 'In', 'on-demand')), limits: { cpu: 2000 } }],
      unavailable: [{ instanceType: 'fake-it-3', zone: Z2, until: NOON + HOUR_MS }],
    });
    const spec = {
      requiredNodeTerms: [[need(ZONE, 'In', Z1, Z2)]],
      requests: requesting(2.5),
    };

    expect(refusal(cluster, spec)?.funnel).toEqual({
      all: 20,
      allowedByPool: 12,
      allowedByPod: 8,
      fitting: 4,
      available: 3,
      withinLimits: 0,
    });
  });
});

describe('the reasons of an existing node', () => {
  const roomy = { allocatable: { cpu: 4000, memory: 8e9, pods: 10 } };
  const onNode = (node: Parameters<typeof aNode>[0], spec: Partial<PodSpec>) => {
    const cluster = aCluster({ pools: [], nodes: [aNode({ labels: {}, ...roomy, ...node })] });
    return provision(cluster, tiny('a', spec)).plan.unplaced[0]?.nodes[0]?.reason.code;
  };
  it.each<[string, Parameters<typeof aNode>[0], Partial<PodSpec>, ReasonCode]>([
    ['a taint', { taints: [taint] }, {}, 'taint-not-tolerated'],
    ['a label that it lacks', {}, { nodeSelector: { team: 'red' } }, 'unknown-label'],
    [
      'a label of another value',
      { labels: { team: 'blue' } },
      { nodeSelector: { team: 'red' } },
      'requirement-conflict',
    ],
    ['too little room', {}, { requests: requesting(5) }, 'no-room'],
  ])('name %s', (_, node, spec, code) => {
    expect(onNode(node, spec)).toBe(code);
  });

  it('are given for the ten nodes that come closest, nearest first', () => {
    const nodes = Array.from({ length: 14 }, (_, index) =>
      aNode({
        name: `node-${index}`,
        labels: { [HOSTNAME]: `node-${index}` },
        allocatable: { cpu: index * 100, memory: 1e9, pods: 10 },
      }),
    );
    const cluster = aCluster({ pools: [], nodes });
    const { nodes: refusals = [] } = provision(cluster, tiny('a', { requests: requesting(5) })).plan.unplaced[0] ?? {};

    expect(refusals.map(({ node }) => node)).toEqual(Array.from({ length: 10 }, (_, index) => `node-${13 - index}`));
  });

  it('are not given for nodes that are being removed', () => {
    const cluster = aCluster({ pools: [], nodes: [aNode({ ...roomy, deletionAt: NOON })] });

    expect(provision(cluster, tiny('a')).plan.unplaced[0]?.nodes).toEqual([]);
  });
});

describe('the alternatives of a claim', () => {
  it('list the cheapest offering of another type next', () => {
    const [one, two] = [fakeType('one', { cpus: 2, gib: 2 }), fakeType('two', { cpus: 2, gib: 2 })];
    const priced = [...createOfferings(one, 1), ...createOfferings(two, 1.5)];
    const { plan } = provision(aCluster({ types: [one, two], priced }), tiny('a'));

    expect(plan.claims[0]?.cheapest).toMatchObject({ instanceType: 'one', hourlyUsd: 1 });
    expect(plan.claims[0]?.nextBest).toMatchObject({ instanceType: 'two', hourlyUsd: 1.5 });
    expect(plan.hourlyUsd).toBe(1);
  });
});

describe('the named condition', () => {
  it('says that CPUs are whole if milli was probably meant', () => {
    const reason = refusal(aCluster(), { requests: requesting(2_000_000) })?.reasons[0];

    expect(reason?.fields.request).toBe('2000000 (whole CPUs, not milli)');
  });

  const small = fakeType('small-amd', { cpus: 2, gib: 4 });
  const large = fakeType('large-arm', { cpus: 16, gib: 64, labels: { [ARCH]: 'arm64' } });

  it('is the size if one type is too small and another lacks a label', () => {
    const spec = { requests: requesting(8), nodeSelector: { [ARCH]: 'amd64' } };
    const result = refusal(aCluster({ types: [small, large] }), spec);

    expect(result?.reasons).toMatchObject([{ code: 'too-large', fields: { type: 'small-amd', free: '1.9' } }]);
    // The number of offerings after each condition shows what the other type lacks.
    expect(result?.funnel).toMatchObject({ allowedByPool: 10, allowedByPod: 5, fitting: 0 });
  });

  it('is the first that leaves nothing if no type meets any two conditions', () => {
    const cluster = aCluster({
      types: [small, large],
      priced: createOfferings(small, 1).filter(({ zone }) => zone !== Z3),
    });
    const spec = { requests: requesting(8), nodeSelector: { [ARCH]: 'arm64', [ZONE]: Z3 } };

    expect(refusal(cluster, spec)?.reasons[0]?.code).toBe('requirement-conflict');
  });
});
