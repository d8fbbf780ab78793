import { at, type Vector } from '../data-structures/resource-vectors.ts';

/** By crowd and column, in USD per hour and unit. */
export type ResourcePrices = readonly Vector[];

/** What some crowds pay most for each column, and who does. */
export interface Best {
  readonly usd: Vector;
  readonly crowdOf: readonly number[];
}

export function bestOf(crowds: readonly number[], prices: ResourcePrices): Best {
  const width = prices[0]?.length ?? 0;
  const usd = new Float64Array(width);
  const crowdOf = Array.from({ length: width }, () => crowds[0] ?? 0);
  for (const crowd of crowds) {
    const price = prices[crowd] ?? NOTHING;
    for (let column = 0; column < width; column++) {
      if (at(price, column) <= at(usd, column)) continue;
      usd[column] = at(price, column);
      crowdOf[column] = crowd;
    }
  }
  return { usd, crowdOf };
}

/** What room is worth at prices per unit; columns that it does not have count for nothing. */
export function worthOf(usd: Vector, room: Vector): number {
  let worth = 0;
  for (let column = 0; column < room.length; column++) worth += at(usd, column) * at(room, column);
  return worth;
}

/** What the slots of a new node are worth: prices of slots come after those of resources. */
export function worthOfSlots(usd: Vector, slots: Vector): number {
  let worth = 0;
  const first = usd.length - slots.length;
  for (let slot = 0; slot < slots.length; slot++) worth += at(usd, first + slot) * at(slots, slot);
  return worth;
}

const NOTHING: Vector = new Float64Array();
