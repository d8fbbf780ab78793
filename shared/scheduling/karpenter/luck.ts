/** The chance in Karpenter's choices: it takes what comes first out of a map. */
export interface Luck {
  /**
   * The first of `all` that is wanted, as a walk through a map with these keys would find it.
   *
   * @param all - the same array each time that the same map is meant
   */
  first<T>(all: readonly T[], isWanted: (one: T) => boolean): T | undefined;
  /** Whether there was a choice so far: without one, every run comes to the same. */
  wasAsked(): boolean;
}

/** Of a small map in Go: it keeps its keys in order, and a walk begins at any slot, filled or not. */
const SLOTS = 8;

/** @param run - equal runs make equal choices */
export function luckOf(run: number): Luck {
  const random = randomOf(run);
  const orders = new WeakMap<readonly unknown[], readonly number[]>();
  let asked = false;

  function orderOf(all: readonly unknown[]): readonly number[] {
    const order = orders.get(all) ?? shuffled([...all.keys()], random);
    orders.set(all, order);
    return order;
  }

  return {
    first(all, isWanted) {
      const wanted = all.filter(isWanted);
      if (wanted.length < 2) return wanted[0];
      asked = true;
      const order = orderOf(all);
      const start = Math.floor(random() * Math.max(SLOTS, order.length));
      const walk = [...order.slice(start), ...order.slice(0, start)];
      for (const position of walk) {
        const one = all[position];
        if (one !== undefined && wanted.includes(one)) return one;
      }
      return undefined;
    },
    wasAsked: () => asked,
  };
}

function shuffled<T>(items: T[], random: () => number): readonly T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [items[last], items[other]];
    if (a !== undefined && b !== undefined) [items[last], items[other]] = [b, a];
  }
  return items;
}

/** Numbers from 0 up to 1 that look random (Mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
