import { describe, expect, it } from 'vitest';
import {
  ARCH,
  aCluster,
  aPool,
  aPoolInZones,
  aPoolRequiring,
  CAPACITY,
  createPods,
  FILLING_A_NODE,
  HOSTNAME,
  need,
  requesting,
  requiringNode,
  spreadOver,
  TYPE,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerDomain, countPodsPerNode, provision } from '../support/provision.ts';

const byCapacity = { topologySpread: [spreadOver(CAPACITY)] };
const ofCapacity = (...types: string[]) => aPoolRequiring(need(CAPACITY, 'In', ...types));

describe('spreads over capacity types and other keys', () => {
  it('fill spot and on-demand equally', () => {
    expect(countPodsPerDomain(provision(aCluster(), ...createPods(4, 'a', byCapacity)), CAPACITY)).toEqual([2, 2]);
  });

  it('count a zone whose NodePool has reached its limit, which holds the others back', () => {
    const soft = spreadOver(HOSTNAME, { whenUnsatisfiable: 'ScheduleAnyway' });
    const cluster = aCluster({
      pools: [aPoolInZones(Z1, Z2), { ...aPoolInZones(Z3), name: 'full', limits: { cpu: 0 } }],
    });
    const outcome = provision(cluster, ...createPods(10, 'a', { topologySpread: [spreadOver(ZONE), soft] }));

    expect(countPodsPerDomain(outcome)).toEqual([1, 1]);
    expect(countPodsPerDomain(outcome, HOSTNAME)).toEqual([1, 1]);
    expect(outcome.pending).toHaveLength(8);
  });

  it('count a capacity type that the NodePool no longer allows', () => {
    const before = provision(
      aCluster({ pools: [ofCapacity('spot')] }),
      tiny('first', { ...byCapacity, ...FILLING_A_NODE }),
    ).after;
    const outcome = provision(
      withPools(before, ofCapacity('on-demand')),
      ...createPods(5, 'a', { ...byCapacity, ...FILLING_A_NODE }),
    );

    expect(countPodsPerDomain(outcome, CAPACITY)).toEqual([1, 2]);
  });

  it('do not count nodes that the pods may not use', () => {
    const before = provision(
      aCluster({
        pools: [aPoolRequiring(need(ZONE, 'In', Z1), need(CAPACITY, 'In', 'on-demand'))],
      }),
      tiny('first', { ...byCapacity, ...FILLING_A_NODE }),
    ).after;
    const spec = requiringNode(need(ZONE, 'In', Z2), need(CAPACITY, 'In', 'spot'));
    const outcome = provision(withPools(before, aPool()), ...createPods(5, 'a', { ...byCapacity, ...spec }));

    expect(countPodsPerDomain(outcome, CAPACITY)).toEqual([1, 5]);
  });

  it.each([
    ['capacity types', CAPACITY, 'on-demand', 'spot'],
    ['architectures', ARCH, 'amd64', 'arm64'],
  ])('handle two %s of which one is no longer available', (_, key, gone, remaining) => {
    const spec = { topologySpread: [spreadOver(key)], requests: requesting(2) };
    const first = aPoolRequiring(need(key, 'In', gone), need(TYPE, 'In', 'single-pod'));
    const before = provision(aCluster({ pools: [first] }), tiny('first', spec)).after;
    const outcome = provision(
      withPools(before, aPoolRequiring(need(key, 'In', remaining))),
      ...createPods(5, 'a', spec),
    );

    expect(countPodsPerDomain(outcome, key)).toEqual([1, 2]);
  });

  it("treat the values of a NodePool's custom label as domains", () => {
    const ratio = 'capacity.spread.4-1';
    const cluster = aCluster({
      pools: [
        {
          ...aPoolRequiring(need(CAPACITY, 'In', 'spot'), need(ratio, 'In', '2', '3', '4', '5')),
          name: 'spot',
        },
        {
          ...aPoolRequiring(need(CAPACITY, 'In', 'on-demand'), need(ratio, 'In', '1')),
          name: 'on-demand',
        },
      ],
    });
    const outcome = provision(cluster, ...createPods(20, 'a', { topologySpread: [spreadOver(ratio)] }));

    expect(countPodsPerDomain(outcome, ratio)).toEqual([4, 4, 4, 4, 4]);
    expect(countPodsPerDomain(outcome, CAPACITY)).toEqual([4, 16]);
  });
});

describe('two spread constraints at once', () => {
  const both = (key: string) => ({
    topologySpread: [spreadOver(key), spreadOver(HOSTNAME, { maxSkew: 3 })],
  });
  const batches = (key: string, sizes: readonly number[]) => {
    let cluster = aCluster();
    return sizes.map((size, batch) => {
      const outcome = provision(cluster, ...createPods(size, `batch-${batch}`, both(key)));
      cluster = outcome.after;
      expect(outcome.pending).toEqual([]);
      expect(Math.max(...countPodsPerNode(outcome))).toBeLessThanOrEqual(3);
      return countPodsPerDomain(outcome, key);
    });
  };

  it('keep zones and hosts even, batch after batch', () => {
    expect(batches(ZONE, [2, 3, 5, 11])).toEqual([
      [1, 1],
      [1, 2, 2],
      [3, 3, 4],
      [7, 7, 7],
    ]);
  });

  it('keep capacity types and hosts even, batch after batch', () => {
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
  ])('handle zones and capacity types %s', (_, more) => {
    const topologySpread = [spreadOver(ZONE), spreadOver(CAPACITY), ...more];
    // The third zone has no spot, so choosing in the wrong order leads to a dead end.
    let cluster = aCluster();
    for (const size of [3, 5, 4]) {
      const outcome = provision(cluster, ...createPods(size, `batch-${size}`, { topologySpread }));
      cluster = outcome.after;

      expect(outcome.pending).toEqual([]);
      for (const key of [ZONE, CAPACITY]) {
        const counts = countPodsPerDomain(outcome, key);
        expect((counts.at(-1) ?? 0) - (counts[0] ?? 0)).toBeLessThanOrEqual(1);
      }
    }
  });
});
