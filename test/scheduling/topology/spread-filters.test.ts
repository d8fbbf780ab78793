import { describe, expect, it } from 'vitest';
import { aNode, aRunningPod } from '../../support/builders.ts';
import {
  aCluster,
  aPool,
  aPoolInZones,
  aPoolRequiring,
  CAPACITY,
  createPods,
  FILLING_A_NODE,
  need,
  prefers,
  requiringNode,
  spreadOver,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
  ZONE_SPREAD,
} from '../support/fixture.ts';
import { countPodsPerDomain, provision } from '../support/provision.ts';

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
    const outcome = provision(cluster, ...createPods(2, 'a', ZONE_SPREAD));
    const inOther = outcome.after.pods.filter(({ namespace }) => namespace === 'other').length;

    expect(countPodsPerDomain(outcome)).toEqual([1, 2, 2 + inOther]);
  });

  it('are the same with the capacity-type key', () => {
    const cluster = aCluster({
      nodes: [node('one', { [CAPACITY]: 'spot' }), node('two', { [CAPACITY]: 'on-demand' }), node('none', {})],
      pods: matching,
    });

    expect(countPodsPerDomain(provision(cluster, ...createPods(2, 'a', byCapacity)), CAPACITY)).toEqual([2, 3]);
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
    ...aPoolRequiring(need(KEY, 'In', ...values)),
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

    expect(countPodsPerDomain(provision(cluster, ...createPods(5, 'a', spreading(policy))), KEY)).toEqual(counts);
  });

  it.each([
    ['Ignore', [1]],
    ['Honor', [2]],
  ] as const)('handle a tainted NodePool, %s', (policy, counts) => {
    const cluster = aCluster({
      pools: [domainPool('foo', ['foo']), domainPool('bar', ['bar'], [taint])],
    });

    expect(countPodsPerDomain(provision(cluster, ...createPods(2, 'a', spreading(policy))), KEY)).toEqual(counts);
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
      pools: [{ ...aPoolRequiring(need(KEY, 'In', 'baz')), labels: { selector: 'this' } }],
    });
    const spec = {
      nodeSelector: { selector: 'this' },
      topologySpread: [spreadOver(KEY, { nodeAffinityPolicy })],
    };

    expect(countPodsPerDomain(provision(cluster, ...createPods(5, 'a', spec)), KEY)).toEqual(counts);
  });

  it('count pods with different selectors separately', () => {
    const outcome = provision(
      aCluster(),
      ...createPods(5, 'a', { ...ZONE_SPREAD, nodeSelector: { [ZONE]: Z1 } }),
      ...createPods(10, 'b', { ...ZONE_SPREAD, nodeSelector: { [ZONE]: Z2 } }),
    );

    expect(countPodsPerDomain(outcome)).toEqual([5, 10]);
  });

  it('count only zones that the pods may use', () => {
    const spec = { ...ZONE_SPREAD, ...requiringNode(need(ZONE, 'In', Z1, Z2)) };

    expect(countPodsPerDomain(provision(aCluster(), ...createPods(10, 'a', spec)))).toEqual([5, 5]);
  });

  it('count pods with other node affinity where they are', () => {
    const narrow = {
      ...ZONE_SPREAD,
      ...FILLING_A_NODE,
      ...requiringNode(need(ZONE, 'In', Z1, Z2)),
    };
    const first = provision(aCluster({ pools: [aPoolInZones(Z1, Z2)] }), ...createPods(6, 'a', narrow));
    const wide = withPools(first.after, aPool());
    const second = provision(
      wide,
      tiny('b', { ...ZONE_SPREAD, ...FILLING_A_NODE, ...requiringNode(need(ZONE, 'In', Z2, Z3)) }),
    );
    const third = provision(second.after, ...createPods(5, 'c', { ...ZONE_SPREAD, ...FILLING_A_NODE }));

    expect(countPodsPerDomain(first)).toEqual([3, 3]);
    expect(countPodsPerDomain(second)).toEqual([1, 3, 3]);
    expect(countPodsPerDomain(third)).toEqual([4, 4, 4]);
  });

  it('are not restricted by a preferred zone', () => {
    const spec = { ...ZONE_SPREAD, ...prefers([1, need(ZONE, 'In', Z1, Z2)]) };

    expect(countPodsPerDomain(provision(aCluster(), ...createPods(6, 'a', spec)))).toEqual([2, 2, 2]);
  });

  it('respect required capacity types', () => {
    const onSpot = {
      ...byCapacity,
      ...FILLING_A_NODE,
      ...requiringNode(need(CAPACITY, 'In', 'spot')),
    };
    const either = {
      ...byCapacity,
      ...FILLING_A_NODE,
      ...requiringNode(need(CAPACITY, 'In', 'on-demand', 'spot')),
    };
    const first = provision(aCluster(), ...createPods(3, 'a', onSpot));
    const second = provision(first.after, tiny('b', either));
    const third = provision(second.after, ...createPods(5, 'c', { ...byCapacity, ...FILLING_A_NODE }));

    expect(countPodsPerDomain(first, CAPACITY)).toEqual([3]);
    expect(countPodsPerDomain(second, CAPACITY)).toEqual([1, 3]);
    expect(countPodsPerDomain(third, CAPACITY)).toEqual([4, 5]);
  });

  it('do not treat a zone that a NodePool excludes as a domain', () => {
    const cluster = aCluster({ pools: [aPoolRequiring(need(ZONE, 'NotIn', 'test-zone-9'))] });

    expect(countPodsPerDomain(provision(cluster, ...createPods(4, 'a', ZONE_SPREAD)))).toEqual([1, 1, 2]);
  });

  it('do not mix two Deployments with equal labels and different selectors', () => {
    const one = createPods(3, 'a', {
      ...ZONE_SPREAD,
      ...FILLING_A_NODE,
      nodeSelector: { [ZONE]: Z1 },
    });
    const two = createPods(1, 'b', {
      ...ZONE_SPREAD,
      ...FILLING_A_NODE,
      nodeSelector: { [ZONE]: Z2 },
    });
    const outcome = provision(aCluster(), ...one, ...two);

    expect(outcome.pending).toEqual([]);
    expect(countPodsPerDomain(outcome)).toEqual([1, 3]);
  });
});
