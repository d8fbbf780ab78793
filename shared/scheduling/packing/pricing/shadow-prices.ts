import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import { type Column, coveringPrices } from './covering-lp.ts';
import type { Stall, StallOffer } from './offer-groups.ts';

/** By crowd and column, in USD per hour and unit. */
export type ResourcePrices = readonly Vector[];

/** What some crowds pay most for each column, and who does. */
interface Best {
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

/**
 * What crowds ask for together, by crowd and column: first the resources, then slots. A slot is what
 * a node has few of for pods that keep apart: one for those with anti-affinity on the hostname.
 */
export interface TotalDemand {
  readonly totals: readonly Vector[];
  /** How many slots a new node has, by slot; columns of the resources come before these. */
  readonly slots: Vector;
}

/** Room that costs nothing: on nodes that are there, or paid for. */
export interface FreeRoom {
  readonly crowds: readonly number[];
  /** By column of the demand. */
  readonly room: Vector;
}

/**
 * What a unit of each resource is worth to each crowd when all is covered at the least cost, with
 * nodes and their room divided as finely as one likes.
 *
 * Each unit of a node's room goes to whichever crowd values it most, so what a node is worth is a
 * sum of products, and there is no need to list who shares nodes with whom. Crowds that may use
 * cheap nodes only when others leave them room pay accordingly.
 */
export function resourcePrices(
  { totals, slots }: TotalDemand,
  stalls: readonly Stall[],
  free: readonly FreeRoom[],
): ResourcePrices {
  const rows = rowsOf(totals);
  const first = [
    ...rows.asked.map((one, row) => firstColumn(one, row, stalls, slots)),
    ...free.map((_, room): Column => ({ usd: 0, rows: [rows.ofFree(room)], amounts: [-1] })),
  ];
  function bargains(values: Vector): Column[] {
    const prices = rows.pricesFrom(values);
    const offered = stalls.flatMap((stall) => {
      const best = bestOf(stall.crowds, prices);
      const offer = bargainIn(stall, best.usd, slots);
      if (!offer) return [];
      const amounts = Float64Array.from([...offer.room, ...slots]);
      return [columnFrom(rows.covered(amounts, best), offer.usd)];
    });
    // All free room that is worth more than what it is given for now.
    const given = free.flatMap(({ crowds, room }, number) => {
      const best = bestOf(crowds, prices);
      const row = rows.ofFree(number);
      if (worthOf(best.usd, room) <= at(values, row)) return [];
      return [columnFrom([...rows.covered(room, best), { row, amount: -1 }], 0)];
    });
    return [...offered, ...given];
  }
  const demand = Float64Array.from([...rows.asked.map(() => 1), ...free.map(() => -1)]);
  return rows.pricesFrom(coveringPrices(demand, { first, bargains }));
}

/** What one crowd asks for of one column. */
interface Asked {
  readonly crowd: number;
  readonly column: number;
  readonly amount: number;
}

interface Entry {
  readonly row: number;
  readonly amount: number;
}

/** Rows of the programme: shares of what is asked for, so that all are of one size; then free room. */
interface Rows {
  readonly asked: readonly Asked[];
  ofFree(room: number): number;
  /** What these amounts cover if each goes to the crowd that pays most for it. */
  covered(amounts: Vector, best: Best): readonly Entry[];
  pricesFrom(values: Vector): Vector[];
}

function rowsOf(totals: readonly Vector[]): Rows {
  const asked = totals.flatMap((total, crowd) =>
    Array.from(total, (amount, column): Asked => ({ crowd, column, amount })).filter(
      ({ amount }) => amount > 0,
    ),
  );
  const rows = new Map(
    asked.map(({ crowd, column, amount }, row) => [keyOf(crowd, column), { row, all: amount }]),
  );
  return {
    asked,
    ofFree: (room) => asked.length + room,
    covered: (amounts, { crowdOf }) =>
      crowdOf.flatMap((crowd, column): Entry[] => {
        const found = rows.get(keyOf(crowd, column));
        const amount = at(amounts, column);
        return found && amount > 0 ? [{ row: found.row, amount: amount / found.all }] : [];
      }),
    pricesFrom(values) {
      const prices = totals.map((total) => new Float64Array(total.length));
      asked.forEach(({ crowd, column, amount }, row) => {
        const price = prices[crowd];
        if (price) price[column] = at(values, row) / amount;
      });
      return prices;
    },
  };
}

const keyOf = (crowd: number, column: number): number => crowd * 1024 + column;

const columnFrom = (entries: readonly Entry[], usd: number): Column => ({
  usd,
  rows: entries.map(({ row }) => row),
  amounts: entries.map(({ amount }) => amount),
});

/** Something to begin with: the best offer for this row alone. */
function firstColumn(
  { crowd, column, amount }: Asked,
  row: number,
  stalls: readonly Stall[],
  slots: Vector,
): Column {
  const best = mostForItsPrice(stalls, slots, crowd, column);
  if (!best) return { usd: NO_NODE_USD, rows: [row], amounts: [1] };
  return { usd: best.usd, rows: [row], amounts: [amountOf(best, slots, column) / amount] };
}

/** The offer that has most of one column for its price; undefined if none has any. */
function mostForItsPrice(
  stalls: readonly Stall[],
  slots: Vector,
  crowd: number,
  column: number,
): StallOffer | undefined {
  let best: StallOffer | undefined;
  let most = 0;
  for (const { crowds, offers } of stalls) {
    if (!crowds.includes(crowd)) continue;
    for (const offer of offers) {
      const perUsd = amountOf(offer, slots, column) / offer.usd;
      if (!(perUsd > most)) continue;
      best = offer;
      most = perUsd;
    }
  }
  return best;
}

const amountOf = ({ room }: StallOffer, slots: Vector, column: number): number =>
  column < room.length ? at(room, column) : at(slots, column - room.length);

/** The offer of the stall that is worth most for its price at these, if it is worth that. */
function bargainIn({ offers }: Stall, usd: Vector, slots: Vector): StallOffer | undefined {
  const ofSlots = worthOfSlots(usd, slots);
  let best: StallOffer | undefined;
  let ratio = 1;
  for (const offer of offers) {
    const worth = worthOf(usd, offer.room) + ofSlots;
    if (worth <= ratio * offer.usd) continue;
    best = offer;
    ratio = worth / offer.usd;
  }
  return best;
}

/** Stands for "no new node has any": more than all of a plan costs. */
const NO_NODE_USD = 1e6;
