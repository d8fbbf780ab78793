import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { NODES } from '../../shared/model/resources.ts';
import { aNode, aRunningPod, aSelector } from '../support/builders.ts';
import {
  ARCH,
  aCluster,
  aPool,
  asking,
  CAPACITY,
  DEFAULT_TYPES,
  HOSTNAME,
  mustBe,
  need,
  offering,
  poolOf,
  prefers,
  several,
  spreadOver,
  TYPE,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
} from './fixture.ts';
import { podCounts, provision, skew } from './provision.ts';

const zonal = { topologySpread: [spreadOver(ZONE)] };
const byHost = { topologySpread: [spreadOver(HOSTNAME)] };
const byCapacity = { topologySpread: [spreadOver(CAPACITY)] };
/** One to a small node, so that nodes that are there have no room. */
const big = { requests: asking(1.1) };
const inZones = (...zones: string[]) => poolOf(need(ZONE, 'In', ...zones));
const ofCapacity = (...types: string[]) => poolOf(need(CAPACITY, 'In', ...types));

describe('a spread that selects nobody (TS02, TS03)', () => {
  it.each([
    ['TS02: a selector that matches nobody', aSelector({ app: 'no one' })],
    ['TS03: no selector', undefined],
  ])('%s leaves pods where they are cheapest', (_, selector) => {
    const { selector: __, ...rest } = spreadOver(ZONE);
    const spec = { topologySpread: [selector ? { ...rest, selector } : rest] };

    expect(skew(provision(aCluster(), ...several(2, 'a', spec)))).toEqual([2]);
  });
});

describe('zones (TS04-TS12)', () => {
  const four = several(4, 'a', { ...zonal });
  it.each<[string, ClusterSnapshot, number[]]>([
    ['TS04: all of them', aCluster(), [1, 1, 2]],
    ['TS05: two that the pool names', aCluster({ pools: [inZones(Z1, Z2)] }), [2, 2]],
    ['TS05: three that the pool names', aCluster({ pools: [inZones(Z1, Z2, Z3)] }), [1, 1, 2]],
    ['TS06: the one of the label', aCluster({ pools: [aPool({ labels: { [ZONE]: Z1 } })] }), [4]],
    [
      'TS07: the label narrows the requirement',
      aCluster({ pools: [{ ...inZones(Z1, Z2), labels: { [ZONE]: Z1 } }] }),
      [4],
    ],
    [
      'TS08: one of each pool',
      aCluster({
        pools: [
          aPool({ name: 'a', labels: { [ZONE]: Z1 } }),
          aPool({ name: 'b', labels: { [ZONE]: Z2 } }),
        ],
      }),
      [2, 2],
    ],
  ])('%s', (_, cluster, counts) => {
    expect(skew(provision(cluster, ...four))).toEqual(counts);
  });

  it('TS04: expressions select as labels do', () => {
    const selector = {
      matchLabels: {},
      matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['web'] }],
    };
    const spec = { topologySpread: [spreadOver(ZONE, { selector })] };

    expect(skew(provision(aCluster(), ...several(4, 'a', spec)))).toEqual([1, 1, 2]);
  });

  it('TS09: a zone that the pool lost still counts with what runs there', () => {
    const before = provision(
      aCluster({ pools: [inZones(Z3)] }),
      tiny('first', { ...zonal, ...big }),
    );
    const cluster = withPools(before.after, inZones(Z1, Z2));
    const outcome = provision(cluster, ...several(6, 'a', { ...zonal, ...big }));

    expect(skew(outcome)).toEqual([1, 2, 2]);
    expect(outcome.pending).toHaveLength(2);
  });

  it('TS10: maxSkew is the most that a zone may be ahead', () => {
    const spec = { topologySpread: [spreadOver(ZONE, { maxSkew: 5 })], ...big };
    const inZ1 = provision(aCluster({ pools: [inZones(Z1)] }), tiny('one', spec)).after;
    const inZ2 = provision(withPools(inZ1, inZones(Z2)), tiny('two', spec)).after;
    const outcome = provision(withPools(inZ2, inZones(Z3)), ...several(10, 'a', spec));

    expect(skew(outcome)).toEqual([1, 1, 6]);
  });

  it('TS11: zones that emptied are filled again', () => {
    const before = provision(aCluster(), ...several(9, 'old', { ...zonal, ...big })).after;
    const inZ1 = before.nodes.filter(({ labels }) => labels[ZONE] === Z1).map(({ name }) => name);
    const cluster = {
      ...before,
      pods: before.pods.filter((pod) => inZ1.includes(pod.nodeName ?? '')),
    };

    expect(cluster.pods).toHaveLength(3);
    expect(skew(provision(cluster, ...several(3, 'a', { ...zonal, ...big })))).toEqual([1, 2, 3]);
  });

  it.each([
    ['that spreads too', zonal],
    ['that does not spread', {}],
  ])('TS12: a zone is known by a pod in it %s', (_, spec) => {
    const before = provision(
      aCluster({ pools: [inZones(Z1)] }),
      tiny('first', { ...spec, ...big }),
    ).after;
    const outcome = provision(
      withPools(before, inZones(Z2, Z3)),
      ...several(10, 'a', { ...zonal, ...big }),
    );

    expect(skew(outcome)).toEqual([1, 2, 2]);
  });
});

describe('which pods count (TS13, TS14)', () => {
  const node = (name: string, labels: Readonly<Record<string, string>>) =>
    aNode({ name, labels, allocatable: { cpu: 0, memory: 0, pods: 0 } });
  const others = [
    aRunningPod('one', { name: 'of-another-app', labels: { app: 'other' } }),
    aRunningPod('one', { name: 'elsewhere', namespace: 'other' }),
    aRunningPod('one', { name: 'terminating', deletionAt: 1 }),
    aRunningPod('one', { name: 'failed', phase: 'Failed' }),
    aRunningPod('one', { name: 'succeeded', phase: 'Succeeded' }),
  ];
  const matching = [
    aRunningPod('one', { name: 'r-1' }),
    aRunningPod('one', { name: 'r-2' }),
    aRunningPod('two', { name: 'r-3' }),
    aRunningPod('none', { name: 'r-4' }),
  ];

  it('TS13: in a zone, those that match, run and stay', () => {
    const cluster = aCluster({
      nodes: [node('one', { [ZONE]: Z1 }), node('two', { [ZONE]: Z2 }), node('none', {})],
      pods: [...matching, ...others],
    });
    const outcome = provision(cluster, ...several(2, 'a', zonal));
    const inOther = outcome.after.pods.filter(({ namespace }) => namespace === 'other').length;

    expect(skew(outcome)).toEqual([1, 2, 2 + inOther]);
  });

  it('TS14: of a capacity type, the same', () => {
    const cluster = aCluster({
      nodes: [
        node('one', { [CAPACITY]: 'spot' }),
        node('two', { [CAPACITY]: 'on-demand' }),
        node('none', {}),
      ],
      pods: matching,
    });

    expect(skew(provision(cluster, ...several(2, 'a', byCapacity)), CAPACITY)).toEqual([2, 3]);
  });
});

describe('hosts (TS16, TS19, TS20, TS30, TS31)', () => {
  it('TS16: who is not selected shares a host', () => {
    const spec = { topologySpread: [spreadOver(HOSTNAME, { selector: aSelector({ app: 'x' }) })] };

    expect(podCounts(provision(aCluster(), ...several(5, 'a', spec)))).toEqual([5]);
  });

  it.each([
    [1, [1, 1, 1, 1]],
    [4, [4]],
  ])('TS19: maxSkew %i', (maxSkew, counts) => {
    const spec = { topologySpread: [spreadOver(HOSTNAME, { maxSkew })] };

    expect(podCounts(provision(aCluster(), ...several(4, 'a', spec)))).toEqual(counts);
  });

  const app = (name: string, spec = {}) =>
    several(
      2,
      name,
      { topologySpread: [spreadOver(HOSTNAME, { selector: aSelector({ app: name }) })], ...spec },
      { app: name },
    );
  const hosts = (...pods: ReturnType<typeof app>) => provision(aCluster(), ...pods).launched.length;

  it('TS20: two apps that spread share hosts with one another', () => {
    expect(hosts(...app('one'), ...app('two'))).toBe(2);
  });

  it('TS20: unless they cannot', () => {
    const one = app('one', { nodeSelector: { [ARCH]: 'amd64' } });
    const two = app('two', { nodeSelector: { [ARCH]: 'arm64' } });

    expect(hosts(...one, ...two)).toBe(4);
  });

  it('TS30: matchLabelKeys keeps revisions apart', () => {
    const spread = spreadOver(HOSTNAME, { matchLabelKeys: ['revision'] });
    const revision = (name: string) =>
      several(2, name, { topologySpread: [spread] }, { app: 'web', revision: name });
    const outcome = provision(aCluster(), ...revision('a'), ...revision('b'));

    expect(podCounts(outcome)).toEqual([2, 2]);
  });

  it('TS31: matchLabelKeys that pods lack change nothing', () => {
    const spread = spreadOver(HOSTNAME, { matchLabelKeys: ['revision'] });

    expect(
      podCounts(provision(aCluster(), ...several(4, 'a', { topologySpread: [spread] }))),
    ).toEqual([1, 1, 1, 1]);
  });
});

describe('minDomains (TS17, TS18)', () => {
  const spec = (minDomains: number) => ({ topologySpread: [spreadOver(ZONE, { minDomains })] });

  it('TS17: fewer domains than that count as one that is empty', () => {
    const cluster = aCluster({ pools: [inZones(Z1, Z2)] });
    const outcome = provision(cluster, ...several(3, 'a', spec(3)));

    expect(skew(outcome)).toEqual([1, 1]);
    expect(outcome.pending).toHaveLength(1);
  });

  it.each([3, 2])('TS18: of three domains, %i are enough', (minDomains) => {
    const outcome = provision(aCluster(), ...several(11, 'a', spec(minDomains)));

    expect(skew(outcome)).toEqual([3, 4, 4]);
  });
});

describe('capacity types and other keys (TS21-TS25, TS28)', () => {
  it('TS21: spot and on-demand alike', () => {
    expect(skew(provision(aCluster(), ...several(4, 'a', byCapacity)), CAPACITY)).toEqual([2, 2]);
  });

  it('TS22: a zone whose pool has reached its limit still counts, and holds the others', () => {
    const soft = spreadOver(HOSTNAME, { whenUnsatisfiable: 'ScheduleAnyway' });
    const cluster = aCluster({
      pools: [inZones(Z1, Z2), { ...inZones(Z3), name: 'full', limits: { cpu: 0 } }],
    });
    const outcome = provision(
      cluster,
      ...several(10, 'a', { topologySpread: [spreadOver(ZONE), soft] }),
    );

    expect(skew(outcome)).toEqual([1, 1]);
    expect(skew(outcome, HOSTNAME)).toEqual([1, 1]);
    expect(outcome.pending).toHaveLength(8);
  });

  it('TS23: a capacity type that the pool lost still counts', () => {
    const before = provision(
      aCluster({ pools: [ofCapacity('spot')] }),
      tiny('first', { ...byCapacity, ...big }),
    ).after;
    const outcome = provision(
      withPools(before, ofCapacity('on-demand')),
      ...several(5, 'a', { ...byCapacity, ...big }),
    );

    expect(skew(outcome, CAPACITY)).toEqual([1, 2]);
  });

  it('TS24: nodes that the pods may not run on do not count', () => {
    const before = provision(
      aCluster({ pools: [poolOf(need(ZONE, 'In', Z1), need(CAPACITY, 'In', 'on-demand'))] }),
      tiny('first', { ...byCapacity, ...big }),
    ).after;
    const spec = mustBe(need(ZONE, 'In', Z2), need(CAPACITY, 'In', 'spot'));
    const outcome = provision(
      withPools(before, aPool()),
      ...several(5, 'a', { ...byCapacity, ...spec }),
    );

    expect(skew(outcome, CAPACITY)).toEqual([1, 5]);
  });

  it.each([
    ['capacity types', CAPACITY, 'on-demand', 'spot'],
    ['architectures', ARCH, 'amd64', 'arm64'],
  ])('TS25: of two %s, one that is gone', (_, key, gone, left) => {
    const spec = { topologySpread: [spreadOver(key)], requests: asking(2) };
    const first = poolOf(need(key, 'In', gone), need(TYPE, 'In', 'single-pod'));
    const before = provision(aCluster({ pools: [first] }), tiny('first', spec)).after;
    const outcome = provision(
      withPools(before, poolOf(need(key, 'In', left))),
      ...several(5, 'a', spec),
    );

    expect(skew(outcome, key)).toEqual([1, 2]);
  });

  it('TS28: values that a pool may give a label of its own are domains', () => {
    const ratio = 'capacity.spread.4-1';
    const cluster = aCluster({
      pools: [
        {
          ...poolOf(need(CAPACITY, 'In', 'spot'), need(ratio, 'In', '2', '3', '4', '5')),
          name: 'spot',
        },
        { ...poolOf(need(CAPACITY, 'In', 'on-demand'), need(ratio, 'In', '1')), name: 'on-demand' },
      ],
    });
    const outcome = provision(
      cluster,
      ...several(20, 'a', { topologySpread: [spreadOver(ratio)] }),
    );

    expect(skew(outcome, ratio)).toEqual([4, 4, 4, 4, 4]);
    expect(skew(outcome, CAPACITY)).toEqual([4, 16]);
  });
});

describe('two constraints at once (TS26, TS27, TS29)', () => {
  const both = (key: string) => ({
    topologySpread: [spreadOver(key), spreadOver(HOSTNAME, { maxSkew: 3 })],
  });
  const batches = (key: string, sizes: readonly number[]) => {
    let cluster = aCluster();
    return sizes.map((size, batch) => {
      const outcome = provision(cluster, ...several(size, `batch-${batch}`, both(key)));
      cluster = outcome.after;
      expect(outcome.pending).toEqual([]);
      expect(Math.max(...podCounts(outcome))).toBeLessThanOrEqual(3);
      return skew(outcome, key);
    });
  };

  it('TS26: zones and hosts, batch after batch', () => {
    expect(batches(ZONE, [2, 3, 5, 11])).toEqual([
      [1, 1],
      [1, 2, 2],
      [3, 3, 4],
      [7, 7, 7],
    ]);
  });

  it('TS27: capacity types and hosts, batch after batch', () => {
    expect(batches(CAPACITY, [2, 3, 5, 11])).toEqual([
      [1, 1],
      [2, 3],
      [5, 5],
      [10, 11],
    ]);
  });

  it.each([
    ['without hosts', []],
    ['with hosts', [spreadOver(HOSTNAME, { maxSkew: 3 })]],
  ])('TS29: zones and capacity types %s', (_, more) => {
    const topologySpread = [spreadOver(ZONE), spreadOver(CAPACITY), ...more];
    // Everywhere alike: where one zone has no spot, choosing in the wrong order leads nowhere.
    const priced = DEFAULT_TYPES.flatMap((type) =>
      [Z1, Z2, Z3].flatMap((zone) => [
        offering(type, 'spot', zone, 1),
        offering(type, 'on-demand', zone, 1),
      ]),
    );
    let cluster = aCluster({ priced });
    for (const size of [3, 5, 4]) {
      const outcome = provision(cluster, ...several(size, `batch-${size}`, { topologySpread }));
      cluster = outcome.after;

      expect(outcome.pending).toEqual([]);
      for (const key of [ZONE, CAPACITY]) {
        const counts = skew(outcome, key);
        expect((counts.at(-1) ?? 0) - (counts[0] ?? 0)).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe('taints and the count (TS32-TS34)', () => {
  const KEY = 'fake-label';
  const taint = { key: 'taint', value: 'x', effect: 'NoSchedule' } as const;
  const spreading = (nodeTaintsPolicy: 'Honor' | 'Ignore', over = {}) => ({
    topologySpread: [spreadOver(KEY, { nodeTaintsPolicy })],
    ...over,
  });
  const taintedNode = (value: string) =>
    aNode({
      name: value,
      providerId: value,
      labels: { [KEY]: value },
      taints: [taint],
      allocatable: { cpu: 0, memory: 0, pods: 0 },
    });
  const domainPool = (name: string, values: string[], taints: (typeof taint)[] = []) => ({
    ...poolOf(need(KEY, 'In', ...values)),
    name,
    taints,
  });

  it.each([
    ['Ignore', [1]],
    ['Honor', [5]],
  ] as const)('TS32: tainted nodes, %s', (policy, counts) => {
    const cluster = aCluster({
      nodes: [taintedNode('foo'), taintedNode('bar')],
      pools: [domainPool('baz', ['baz'])],
    });

    expect(skew(provision(cluster, ...several(5, 'a', spreading(policy))), KEY)).toEqual(counts);
  });

  it.each([
    ['Ignore', [1]],
    ['Honor', [2]],
  ] as const)('TS33: a tainted pool, %s', (policy, counts) => {
    const cluster = aCluster({
      pools: [domainPool('foo', ['foo']), domainPool('bar', ['bar'], [taint])],
    });

    expect(skew(provision(cluster, ...several(2, 'a', spreading(policy))), KEY)).toEqual(counts);
  });
});

describe('node affinity and the count (TS35-TS40, TS50, TS51)', () => {
  it.each([
    ['Ignore', [1]],
    ['Honor', [5]],
  ] as const)('TS35: nodes that the pods may not run on, %s', (nodeAffinityPolicy, counts) => {
    const KEY = 'fake-label';
    const other = (value: string) =>
      aNode({
        name: value,
        providerId: value,
        labels: { [KEY]: value, selector: 'other' },
        allocatable: { cpu: 0, memory: 0, pods: 0 },
      });
    const cluster = aCluster({
      nodes: [other('foo'), other('bar')],
      pools: [{ ...poolOf(need(KEY, 'In', 'baz')), labels: { selector: 'this' } }],
    });
    const spec = {
      nodeSelector: { selector: 'this' },
      topologySpread: [spreadOver(KEY, { nodeAffinityPolicy })],
    };

    expect(skew(provision(cluster, ...several(5, 'a', spec)), KEY)).toEqual(counts);
  });

  it('TS36: pods of different selectors count apart', () => {
    const outcome = provision(
      aCluster(),
      ...several(5, 'a', { ...zonal, nodeSelector: { [ZONE]: Z1 } }),
      ...several(10, 'b', { ...zonal, nodeSelector: { [ZONE]: Z2 } }),
    );

    expect(skew(outcome)).toEqual([5, 10]);
  });

  it('TS37: only zones that the pods may be in count', () => {
    const spec = { ...zonal, ...mustBe(need(ZONE, 'In', Z1, Z2)) };

    expect(skew(provision(aCluster(), ...several(10, 'a', spec)))).toEqual([5, 5]);
  });

  it('TS38: pods of other affinity are counted where they are', () => {
    const narrow = { ...zonal, ...big, ...mustBe(need(ZONE, 'In', Z1, Z2)) };
    const first = provision(aCluster({ pools: [inZones(Z1, Z2)] }), ...several(6, 'a', narrow));
    const wide = withPools(first.after, aPool());
    const second = provision(
      wide,
      tiny('b', { ...zonal, ...big, ...mustBe(need(ZONE, 'In', Z2, Z3)) }),
    );
    const third = provision(second.after, ...several(5, 'c', { ...zonal, ...big }));

    expect(skew(first)).toEqual([3, 3]);
    expect(skew(second)).toEqual([1, 3, 3]);
    expect(skew(third)).toEqual([4, 4, 4]);
  });

  it('TS39: a preferred zone does not narrow the count', () => {
    const spec = { ...zonal, ...prefers([1, need(ZONE, 'In', Z1, Z2)]) };

    expect(skew(provision(aCluster(), ...several(6, 'a', spec)))).toEqual([2, 2, 2]);
  });

  it('TS40: capacity types that pods require', () => {
    const onSpot = { ...byCapacity, ...big, ...mustBe(need(CAPACITY, 'In', 'spot')) };
    const either = { ...byCapacity, ...big, ...mustBe(need(CAPACITY, 'In', 'on-demand', 'spot')) };
    const first = provision(aCluster(), ...several(3, 'a', onSpot));
    const second = provision(first.after, tiny('b', either));
    const third = provision(second.after, ...several(5, 'c', { ...byCapacity, ...big }));

    expect(skew(first, CAPACITY)).toEqual([3]);
    expect(skew(second, CAPACITY)).toEqual([1, 3]);
    expect(skew(third, CAPACITY)).toEqual([4, 5]);
  });

  it('TS50: a zone that a pool excludes by name is none', () => {
    const cluster = aCluster({ pools: [poolOf(need(ZONE, 'NotIn', 'test-zone-9'))] });

    expect(skew(provision(cluster, ...several(4, 'a', zonal)))).toEqual([1, 1, 2]);
  });

  it('TS51: two Deployments with equal labels and different selectors do not interfere', () => {
    const one = several(3, 'a', { ...zonal, ...big, nodeSelector: { [ZONE]: Z1 } });
    const two = several(1, 'b', { ...zonal, ...big, nodeSelector: { [ZONE]: Z2 } });
    const outcome = provision(aCluster(), ...one, ...two);

    expect(outcome.pending).toEqual([]);
    expect(skew(outcome)).toEqual([1, 3]);
  });
});

describe('limits that cut a spread', () => {
  it('let pods use the room of nodes that they find', () => {
    const before = provision(aCluster(), ...several(3, 'old', { ...zonal, requests: asking(0.5) }));
    const cluster = withPools(before.after, aPool({ limits: { [NODES]: 3 } }));
    const outcome = provision(cluster, ...several(3, 'a', { ...zonal, requests: asking(0.5) }));

    expect(skew(outcome)).toEqual([2, 2, 2]);
  });
});

describe('every host of its own (TS19)', () => {
  it('takes pods one by one, however many there are', () => {
    expect(podCounts(provision(aCluster(), ...several(30, 'a', byHost)))).toHaveLength(30);
  });
});
