import { describe, expect, it } from 'vitest';
import { luckOf } from '../../../shared/scheduling/karpenter/luck.ts';

const ZONES = ['a', 'b', 'c'];
const isAny = () => true;

describe('the luck of a run', () => {
  it('repeats itself', () => {
    const walk = (run: number) => {
      const luck = luckOf(run);
      return Array.from({ length: 20 }, () => luck.first(ZONES, isAny));
    };

    expect(walk(3)).toEqual(walk(3));
    expect(walk(3)).not.toEqual(walk(4));
  });

  it('takes what is wanted, and nothing where nothing is', () => {
    const luck = luckOf(0);

    expect(luck.first(ZONES, (zone) => zone === 'b')).toBe('b');
    expect(luck.first(ZONES, () => false)).toBeUndefined();
  });

  it('was asked once there were two to choose from', () => {
    const luck = luckOf(0);
    luck.first(ZONES, (zone) => zone === 'b');
    const before = luck.wasAsked();
    luck.first(ZONES, (zone) => zone !== 'b');

    expect([before, luck.wasAsked()]).toEqual([false, true]);
  });

  it('favours the first of a small map: three walks in four begin there', () => {
    const luck = luckOf(0);
    const counts = new Map<string, number>();
    for (let walk = 0; walk < 4000; walk++) {
      const zone = luck.first(ZONES, isAny) ?? '';
      counts.set(zone, (counts.get(zone) ?? 0) + 1);
    }
    const shares = [...counts.values()].map((count) => Math.round((count / 4000) * 8));

    expect(shares.toSorted((a, b) => b - a)).toEqual([6, 1, 1]);
  });
});
