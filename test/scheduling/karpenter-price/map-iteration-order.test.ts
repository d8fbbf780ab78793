import { describe, expect, it } from 'vitest';
import { createMapIterationOrder } from '../../../shared/scheduling/karpenter-price/map-iteration-order.ts';

const ZONES = ['a', 'b', 'c'];
const isAny = () => true;

describe('the map iteration order of a run', () => {
  it('is the same each time the run is repeated', () => {
    const walk = (run: number) => {
      const mapOrder = createMapIterationOrder(run);
      return Array.from({ length: 20 }, () => mapOrder.findFirst(ZONES, isAny));
    };

    expect(walk(3)).toEqual(walk(3));
    expect(walk(3)).not.toEqual(walk(4));
  });

  it('finds a match, and undefined if nothing matches', () => {
    const mapOrder = createMapIterationOrder(0);

    expect(mapOrder.findFirst(ZONES, (zone) => zone === 'b')).toBe('b');
    expect(mapOrder.findFirst(ZONES, () => false)).toBeUndefined();
  });

  it('is recorded as used once two keys match', () => {
    const mapOrder = createMapIterationOrder(0);
    mapOrder.findFirst(ZONES, (zone) => zone === 'b');
    const before = mapOrder.wasUsed();
    mapOrder.findFirst(ZONES, (zone) => zone !== 'b');

    expect([before, mapOrder.wasUsed()]).toEqual([false, true]);
  });

  it('favours the first key of a small map: three iterations in four start there', () => {
    const mapOrder = createMapIterationOrder(0);
    const counts = new Map<string, number>();
    for (let walk = 0; walk < 4000; walk++) {
      const zone = mapOrder.findFirst(ZONES, isAny) ?? '';
      counts.set(zone, (counts.get(zone) ?? 0) + 1);
    }
    const shares = [...counts.values()].map((count) => Math.round((count / 4000) * 8));

    expect(shares.toSorted((a, b) => b - a)).toEqual([6, 1, 1]);
  });
});
