import { getOrCreate } from '../../model/memo.ts';
import { createMulberry32 } from '../../model/random.ts';

/**
 * Simulates the order in which Go iterates over a map. Karpenter takes the first match in several
 * places.
 */
export interface MapIterationOrder {
  /**
   * Finds the first match in the iteration order of a map.
   *
   * @param all - the keys of the map; calls for the same map pass the same array
   */
  findFirst<T>(all: readonly T[], isMatch: (one: T) => boolean): T | undefined;
  /** True if any call had more than one match. If not, every run gives the same result. */
  wasUsed(): boolean;
}

/**
 * Slots of a small map in Go. Keys stay in order, and an iteration starts at a random slot, empty
 * or not.
 */
const MAP_SLOTS = 8;

/**
 * @param run - equal numbers give equal orders
 */
export function createMapIterationOrder(run: number): MapIterationOrder {
  const random = createMulberry32(run);
  const orders = new WeakMap<readonly unknown[], readonly number[]>();
  let used = false;

  function orderOf(all: readonly unknown[]): readonly number[] {
    return getOrCreate(orders, all, () => shuffle([...all.keys()], random));
  }

  return {
    findFirst(all, isMatch) {
      const matches = all.filter(isMatch);
      if (matches.length < 2) return matches[0];
      used = true;
      const order = orderOf(all);
      const start = Math.floor(random() * Math.max(MAP_SLOTS, order.length));
      const walk = [...order.slice(start), ...order.slice(0, start)];
      for (const position of walk) {
        const one = all[position];
        if (one !== undefined && matches.includes(one)) return one;
      }
      return undefined;
    },
    wasUsed: () => used,
  };
}

function shuffle<T>(items: T[], random: () => number): readonly T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [items[last], items[other]];
    if (a !== undefined && b !== undefined) [items[last], items[other]] = [b, a];
  }
  return items;
}
