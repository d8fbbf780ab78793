import { describe, expect, it } from 'vitest';
import {
  ARCH,
  aCluster,
  aPool,
  asking,
  CAPACITY,
  HOSTNAME,
  mustBe,
  need,
  poolOf,
  several,
  spreadOver,
  TYPE,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import { podCounts, provision, skew } from '../support/provision.ts';
import { big, inZones } from '../support/spread-pods.ts';

const byCapacity = { topologySpread: [spreadOver(CAPACITY)] };
const ofCapacity = (...types: string[]) => poolOf(need(CAPACITY, 'In', ...types));

describe('spreads over capacity types and other keys', () => {
  it('fill spot and on-demand equally', () => {
    expect(skew(provision(aCluster(), ...several(4, 'a', byCapacity)), CAPACITY)).toEqual([2, 2]);
  });

  it('count a zone whose NodePool has reached its limit, which holds the others back', () => {
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

  it('count a capacity type that the NodePool no longer allows', () => {
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

  it('do not count nodes that the pods may not use', () => {
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
  ])('handle two %s of which one is no longer available', (_, key, gone, left) => {
    const spec = { topologySpread: [spreadOver(key)], requests: asking(2) };
    const first = poolOf(need(key, 'In', gone), need(TYPE, 'In', 'single-pod'));
    const before = provision(aCluster({ pools: [first] }), tiny('first', spec)).after;
    const outcome = provision(
      withPools(before, poolOf(need(key, 'In', left))),
      ...several(5, 'a', spec),
    );

    expect(skew(outcome, key)).toEqual([1, 2]);
  });

  it("treat the values of a NodePool's custom label as domains", () => {
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

describe('two spread constraints at once', () => {
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
