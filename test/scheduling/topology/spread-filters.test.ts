import { describe, expect, it } from 'vitest';
import { aNode, aRunningPod } from '../../support/builders.ts';
import {
  aCluster,
  aPool,
  CAPACITY,
  mustBe,
  need,
  poolOf,
  prefers,
  several,
  spreadOver,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import { provision, skew } from '../support/provision.ts';
import { big, inZones, zonal } from '../support/spread-pods.ts';

const byCapacity = { topologySpread: [spreadOver(CAPACITY)] };

describe('counted pods', () => {
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

  it('are those in a zone that match, run and do not terminate', () => {
    const cluster = aCluster({
      nodes: [node('one', { [ZONE]: Z1 }), node('two', { [ZONE]: Z2 }), node('none', {})],
      pods: [...matching, ...others],
    });
    const outcome = provision(cluster, ...several(2, 'a', zonal));
    const inOther = outcome.after.pods.filter(({ namespace }) => namespace === 'other').length;

    expect(skew(outcome)).toEqual([1, 2, 2 + inOther]);
  });

  it('are the same with the capacity-type key', () => {
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

describe('taints and spread counts', () => {
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
  ] as const)('handle tainted nodes, %s', (policy, counts) => {
    const cluster = aCluster({
      nodes: [taintedNode('foo'), taintedNode('bar')],
      pools: [domainPool('baz', ['baz'])],
    });

    expect(skew(provision(cluster, ...several(5, 'a', spreading(policy))), KEY)).toEqual(counts);
  });

  it.each([
    ['Ignore', [1]],
    ['Honor', [2]],
  ] as const)('handle a tainted NodePool, %s', (policy, counts) => {
    const cluster = aCluster({
      pools: [domainPool('foo', ['foo']), domainPool('bar', ['bar'], [taint])],
    });

    expect(skew(provision(cluster, ...several(2, 'a', spreading(policy))), KEY)).toEqual(counts);
  });
});

describe('node affinity and spread counts', () => {
  it.each([
    ['Ignore', [1]],
    ['Honor', [5]],
  ] as const)('handle nodes that the pods may not use, %s', (nodeAffinityPolicy, counts) => {
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

  it('count pods with different selectors separately', () => {
    const outcome = provision(
      aCluster(),
      ...several(5, 'a', { ...zonal, nodeSelector: { [ZONE]: Z1 } }),
      ...several(10, 'b', { ...zonal, nodeSelector: { [ZONE]: Z2 } }),
    );

    expect(skew(outcome)).toEqual([5, 10]);
  });

  it('count only zones that the pods may use', () => {
    const spec = { ...zonal, ...mustBe(need(ZONE, 'In', Z1, Z2)) };

    expect(skew(provision(aCluster(), ...several(10, 'a', spec)))).toEqual([5, 5]);
  });

  it('count pods with other node affinity where they are', () => {
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

  it('are not restricted by a preferred zone', () => {
    const spec = { ...zonal, ...prefers([1, need(ZONE, 'In', Z1, Z2)]) };

    expect(skew(provision(aCluster(), ...several(6, 'a', spec)))).toEqual([2, 2, 2]);
  });

  it('respect required capacity types', () => {
    const onSpot = { ...byCapacity, ...big, ...mustBe(need(CAPACITY, 'In', 'spot')) };
    const either = { ...byCapacity, ...big, ...mustBe(need(CAPACITY, 'In', 'on-demand', 'spot')) };
    const first = provision(aCluster(), ...several(3, 'a', onSpot));
    const second = provision(first.after, tiny('b', either));
    const third = provision(second.after, ...several(5, 'c', { ...byCapacity, ...big }));

    expect(skew(first, CAPACITY)).toEqual([3]);
    expect(skew(second, CAPACITY)).toEqual([1, 3]);
    expect(skew(third, CAPACITY)).toEqual([4, 5]);
  });

  it('do not treat a zone that a NodePool excludes as a domain', () => {
    const cluster = aCluster({ pools: [poolOf(need(ZONE, 'NotIn', 'test-zone-9'))] });

    expect(skew(provision(cluster, ...several(4, 'a', zonal)))).toEqual([1, 1, 2]);
  });

  it('do not mix two Deployments with equal labels and different selectors', () => {
    const one = several(3, 'a', { ...zonal, ...big, nodeSelector: { [ZONE]: Z1 } });
    const two = several(1, 'b', { ...zonal, ...big, nodeSelector: { [ZONE]: Z2 } });
    const outcome = provision(aCluster(), ...one, ...two);

    expect(outcome.pending).toEqual([]);
    expect(skew(outcome)).toEqual([1, 3]);
  });
});
