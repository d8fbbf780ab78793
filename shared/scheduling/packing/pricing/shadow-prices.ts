import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { WorkMeter } from '../../data-structures/work-meter.ts';
import { computeCoveringPrices, type LpColumn } from './covering-lp.ts';
import type { OfferGroup, PricedNodeType } from './offer-groups.ts';

/** By eligibility group and column, in USD per hour and unit. */
export type ShadowPrices = readonly Vector[];

/**
 * The highest price that some eligibility groups pay for each column, and the group that pays it.
 */
interface HighestPrices {
  readonly usd: Vector;
  readonly groupOf: readonly number[];
}

export function findHighestPrices(eligibilityGroups: readonly number[], prices: ShadowPrices): HighestPrices {
  const width = prices[0]?.length ?? 0;
  const usd = new Float64Array(width);
  const groupOf = Array.from({ length: width }, () => eligibilityGroups[0] ?? 0);
  for (const eligibilityGroup of eligibilityGroups) {
    const price = prices[eligibilityGroup] ?? NOTHING;
    for (let column = 0; column < width; column++) {
      if (at(price, column) <= at(usd, column)) continue;
      usd[column] = at(price, column);
      groupOf[column] = eligibilityGroup;
    }
  }
  return { usd, groupOf };
}

/** The value of room at prices per unit; columns that the room does not have count as 0. */
export function computeValue(usd: Vector, room: Vector): number {
  let value = 0;
  for (let column = 0; column < room.length; column++) value += at(usd, column) * at(room, column);
  return value;
}

/** The value of the slots of a new node; the prices of slots follow those of resources. */
export function computeSlotValue(usd: Vector, slots: Vector): number {
  let value = 0;
  const first = usd.length - slots.length;
  for (let slot = 0; slot < slots.length; slot++) value += at(usd, first + slot) * at(slots, slot);
  return value;
}

const NOTHING: Vector = new Float64Array();

/**
 * The total demand by eligibility group and column: first the resources, then slots. A slot limits
 * pods that are kept apart: a node has one slot for pods with anti-affinity on the hostname.
 */
export interface TotalDemand {
  readonly totals: readonly Vector[];
  /** The number of slots on a new node; their columns follow those of the resources. */
  readonly slots: Vector;
}

/** Room that costs nothing: on existing nodes, or in reservations. */
export interface FreeRoom {
  readonly eligibilityGroups: readonly number[];
  /** By column of the demand. */
  readonly room: Vector;
}

/**
 * Computes what a unit of each resource is worth to each eligibility group if the demand is covered
 * at the least cost and nodes can be divided.
 *
 * Each unit of a node's room goes to the group that pays most for it, so the value of a node is a
 * sum of products, and combinations of groups on a node need not be listed. Groups that may use
 * cheap nodes only if others leave them room pay accordingly.
 */
export function computeShadowPrices(
  { totals, slots }: TotalDemand,
  offerGroups: readonly OfferGroup[],
  free: readonly FreeRoom[],
  { spend }: WorkMeter,
): ShadowPrices {
  const rows = createRows(totals);
  const first = [
    ...rows.demandRows.map((one, row) => createFirstColumn(one, row, offerGroups, slots)),
    ...free.map((_, room): LpColumn => ({ usd: 0, rows: [rows.freeRoomRow(room)], amounts: [-1] })),
  ];
  function findCheapOffers(values: Vector): LpColumn[] {
    const prices = rows.toPrices(values);
    const nodeColumns = offerGroups.flatMap((offerGroup) => {
      const best = findHighestPrices(offerGroup.eligibilityGroups, prices);
      const offer = findBestOffer(offerGroup, best.usd, slots);
      if (!offer) return [];
      const amounts = Float64Array.from([...offer.room, ...slots]);
      return [createColumn(rows.cover(amounts, best), offer.usd)];
    });
    // Free room that is worth more than its present price.
    const freeColumns = free.flatMap(({ eligibilityGroups, room }, number) => {
      const best = findHighestPrices(eligibilityGroups, prices);
      const row = rows.freeRoomRow(number);
      if (computeValue(best.usd, room) <= at(values, row)) return [];
      return [createColumn([...rows.cover(room, best), { row, amount: -1 }], 0)];
    });
    return [...nodeColumns, ...freeColumns];
  }
  const demand = Float64Array.from([...rows.demandRows.map(() => 1), ...free.map(() => -1)]);
  return rows.toPrices(computeCoveringPrices(demand, { first, findCheapColumns: findCheapOffers, spend }));
}

/** The demand of one eligibility group for one column. */
interface DemandRow {
  readonly eligibilityGroup: number;
  readonly column: number;
  readonly amount: number;
}

interface RowAmount {
  readonly row: number;
  readonly amount: number;
}

/**
 * Rows of the programme: first the demand, as shares so that all rows have the same scale, then
 * free room.
 */
interface ProgrammeRows {
  readonly demandRows: readonly DemandRow[];
  freeRoomRow(room: number): number;
  /** The rows that these amounts cover if each goes to the group that pays most for it. */
  cover(amounts: Vector, best: HighestPrices): readonly RowAmount[];
  toPrices(values: Vector): Vector[];
}

function createRows(totals: readonly Vector[]): ProgrammeRows {
  const demandRows = totals.flatMap((total, eligibilityGroup) =>
    Array.from(total, (amount, column): DemandRow => ({ eligibilityGroup, column, amount })).filter(
      ({ amount }) => amount > 0,
    ),
  );
  const rows = new Map(
    demandRows.map(({ eligibilityGroup, column, amount }, row) => [
      toRowKey(eligibilityGroup, column),
      { row, all: amount },
    ]),
  );
  return {
    demandRows,
    freeRoomRow: (room) => demandRows.length + room,
    cover: (amounts, { groupOf }) =>
      groupOf.flatMap((eligibilityGroup, column): RowAmount[] => {
        const entry = rows.get(toRowKey(eligibilityGroup, column));
        const amount = at(amounts, column);
        return entry && amount > 0 ? [{ row: entry.row, amount: amount / entry.all }] : [];
      }),
    toPrices(values) {
      const prices = totals.map((total) => new Float64Array(total.length));
      demandRows.forEach(({ eligibilityGroup, column, amount }, row) => {
        const price = prices[eligibilityGroup];
        if (price) price[column] = at(values, row) / amount;
      });
      return prices;
    },
  };
}

const toRowKey = (eligibilityGroup: number, column: number): number => eligibilityGroup * 1024 + column;

const createColumn = (entries: readonly RowAmount[], usd: number): LpColumn => ({
  usd,
  rows: entries.map(({ row }) => row),
  amounts: entries.map(({ amount }) => amount),
});

/** A column for the first basis: the best node for this row alone. */
function createFirstColumn(
  { eligibilityGroup, column, amount }: DemandRow,
  row: number,
  offerGroups: readonly OfferGroup[],
  slots: Vector,
): LpColumn {
  const best = findMostPerUsd(offerGroups, slots, eligibilityGroup, column);
  if (!best) return { usd: NO_NODE_USD, rows: [row], amounts: [1] };
  return { usd: best.usd, rows: [row], amounts: [getAmount(best, slots, column) / amount] };
}

/** Finds the node with most of one column for its price; undefined if no node has any. */
function findMostPerUsd(
  offerGroups: readonly OfferGroup[],
  slots: Vector,
  eligibilityGroup: number,
  column: number,
): PricedNodeType | undefined {
  let best: PricedNodeType | undefined;
  let maxPerUsd = 0;
  for (const { eligibilityGroups, offers } of offerGroups) {
    if (!eligibilityGroups.includes(eligibilityGroup)) continue;
    for (const offer of offers) {
      const perUsd = getAmount(offer, slots, column) / offer.usd;
      if (!(perUsd > maxPerUsd)) continue;
      best = offer;
      maxPerUsd = perUsd;
    }
  }
  return best;
}

const getAmount = ({ room }: PricedNodeType, slots: Vector, column: number): number =>
  column < room.length ? at(room, column) : at(slots, column - room.length);

/**
 * Finds the node of the offer group with the most value for its price; undefined if none is worth
 * its price.
 */
function findBestOffer({ offers }: OfferGroup, usd: Vector, slots: Vector): PricedNodeType | undefined {
  const slotValue = computeSlotValue(usd, slots);
  let best: PricedNodeType | undefined;
  let ratio = 1;
  for (const offer of offers) {
    const value = computeValue(usd, offer.room) + slotValue;
    if (value <= ratio * offer.usd) continue;
    best = offer;
    ratio = value / offer.usd;
  }
  return best;
}

/** The price of a row that no new node can cover: more than a whole plan costs. */
const NO_NODE_USD = 1e6;
