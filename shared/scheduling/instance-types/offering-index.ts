import { onFirstUse } from '../../model/memo.ts';
import type { CapacityType, Offering, UnavailableOffering } from '../../model/offerings/instance-type.ts';
import {
  type Bitset,
  countBits,
  forEachBit,
  hasBit,
  intersection,
  listBits,
  union,
} from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { findAvailable, getPriceTable, type PriceCell } from './price-table.ts';
import type { TypeIndex } from './type-index.ts';

/** Bits of `OfferingScope.capacityTypes`. */
export const SPOT = 0b010;
export const ON_DEMAND = 0b100;

/** Zones and capacity types in which a node may be launched, as bits. */
export interface OfferingScope {
  readonly zones: number;
  readonly capacityTypes: number;
}

/** Prices and availability by type number, zone and capacity type. */
export interface OfferingIndex {
  readonly zones: readonly string[];
  readonly everywhere: OfferingScope;
  /** Returns the types with an available offering in `where`. */
  offered(where: OfferingScope): Bitset;
  /** Finds the cheapest available offering of a type in `where`. */
  cheapest(type: number, where: OfferingScope): Offering | undefined;
  /** The price of `cheapest`; Infinity if there is none. */
  cheapestUsd(type: number, where: OfferingScope): number;
  /**
   * The prices of `cheapestUsd` by type number. All calls with equal scopes return the same array.
   */
  pricesIn(where: OfferingScope): Float64Array;
  /** Lists the types with an available offering, cheapest first, then by name. */
  byPrice(where: OfferingScope): readonly number[];
  /** Lowest price of the types in `set`, in USD per hour; Infinity if none is available. */
  lowestUsd(set: Bitset, where: OfferingScope): number;
  /**
   * The highest price among the available offerings of a type in `where`; Infinity if there is
   * none.
   */
  mostExpensiveUsd(type: number, where: OfferingScope): number;
  /** The price of one offering, even if it is unavailable. */
  listedUsd(type: number, zone: string, capacityType: CapacityType): number | undefined;
  /** Counts the offerings of the types in `where`; only available ones if `availableOnly`. */
  count(types: Bitset, where: OfferingScope, availableOnly: boolean): number;
}

interface CachedIndex {
  readonly types: TypeIndex;
  readonly unavailableNow: string;
  readonly index: OfferingIndex;
}

// One decision asks thousands of times, and the next one usually has the same offerings.
const indexes = new WeakMap<readonly Offering[], CachedIndex>();

export function getOfferingIndex(
  types: TypeIndex,
  offerings: readonly Offering[],
  unavailable: readonly UnavailableOffering[],
  now: number,
): OfferingIndex {
  const unavailableNow = unavailable.filter(({ until }) => until > now);
  const unavailableKey = JSON.stringify(unavailableNow);
  const cached = indexes.get(offerings);
  if (cached?.types === types && cached.unavailableNow === unavailableKey) return cached.index;
  const index = buildIndex(types, offerings, unavailableNow);
  indexes.set(offerings, { types, unavailableNow: unavailableKey, index });
  return index;
}

interface AvailabilityCell extends PriceCell {
  readonly available: Bitset;
}

/** The offerings of one scope. Each property is computed on first use. */
interface ScopedOfferings {
  readonly cells: readonly AvailabilityCell[];
  readonly offered: () => Bitset;
  readonly cheapest: () => Float64Array;
  readonly mostExpensive: () => Float64Array;
  readonly byPrice: () => readonly number[];
  readonly lowestUsd: (set: Bitset) => number;
}

function buildIndex(
  types: TypeIndex,
  offerings: readonly Offering[],
  unavailableNow: readonly UnavailableOffering[],
): OfferingIndex {
  const table = getPriceTable(types, offerings);
  const cells = table.cells.map((cell) => ({
    ...cell,
    available: findAvailable(cell, types, unavailableNow),
  }));
  const findScope = memoizeScopes(cells, types);
  return {
    zones: table.zones,
    everywhere: { zones: 2 ** table.zones.length - 1, capacityTypes: 0b111 },
    offered: (where) => findScope(where).offered(),
    cheapestUsd: (type, where) => findScope(where).cheapest()[type] ?? Infinity,
    pricesIn: (where) => findScope(where).cheapest(),
    byPrice: (where) => findScope(where).byPrice(),
    lowestUsd: (set, where) => findScope(where).lowestUsd(set),
    mostExpensiveUsd: (type, where) => findScope(where).mostExpensive()[type] ?? Infinity,
    cheapest(type, where) {
      const scope = findScope(where);
      const hourlyUsd = scope.cheapest()[type] ?? Infinity;
      const cell = scope.cells.find(({ prices, available }) => prices[type] === hourlyUsd && hasBit(available, type));
      const instanceType = types.types[type]?.name;
      if (!cell || instanceType === undefined) return undefined;
      return { instanceType, zone: cell.zone, capacityType: cell.capacityType, hourlyUsd };
    },
    listedUsd(type, zone, capacityType) {
      const usd = cells.find((cell) => cell.zone === zone && cell.capacityType === capacityType)?.prices[type];
      return usd !== undefined && usd < Infinity ? usd : undefined;
    },
    count: (set, where, availableOnly) => countOfferings(findScope(where), set, availableOnly),
  };
}

function countOfferings({ cells }: ScopedOfferings, set: Bitset, availableOnly: boolean): number {
  return cells.reduce(
    (count, { available, listed }) => count + countBits(intersection(set, availableOnly ? available : listed)),
    0,
  );
}

function memoizeScopes(
  cells: readonly AvailabilityCell[],
  types: TypeIndex,
): (where: OfferingScope) => ScopedOfferings {
  const scopes = new Map<number, ScopedOfferings>();
  return ({ zones, capacityTypes }) => {
    const key = zones * 8 + capacityTypes;
    let scope = scopes.get(key);
    if (!scope) {
      const cellsInScope = cells.filter(
        ({ zoneBit, capacityBit }) => (zones & zoneBit) !== 0 && (capacityTypes & capacityBit) !== 0,
      );
      scope = createScope(cellsInScope, types);
      scopes.set(key, scope);
    }
    return scope;
  };
}

function compareNames({ types }: TypeIndex, a: number, b: number): number {
  const [one, other] = [types[a]?.name ?? '', types[b]?.name ?? ''];
  return one < other ? -1 : Number(one > other);
}

/** Sorting the types by price costs as much as this many searches of the unsorted prices. */
const MAX_UNSORTED_SEARCHES = 8;

function findLowestPrice(set: Bitset, prices: Float64Array): number {
  let lowest = Infinity;
  forEachBit(set, (type) => {
    lowest = Math.min(lowest, at(prices, type));
  });
  return lowest;
}

function findFirstPrice(set: Bitset, byPrice: readonly number[], prices: Float64Array): number {
  const type = byPrice.find((candidate) => hasBit(set, candidate));
  return type === undefined ? Infinity : at(prices, type);
}

function createScope(cells: readonly AvailabilityCell[], types: TypeIndex): ScopedOfferings {
  const offered = onFirstUse(() => cells.reduce((all, { available }) => union(all, available), types.none));
  const cheapest = onFirstUse(() => {
    const prices = new Float64Array(types.types.length).fill(Infinity);
    for (const cell of cells) {
      forEachBit(cell.available, (type) => {
        prices[type] = Math.min(at(prices, type), cell.prices[type] ?? Infinity);
      });
    }
    return prices;
  });
  const mostExpensive = onFirstUse(() => {
    const prices = new Float64Array(types.types.length).fill(-Infinity);
    for (const cell of cells) {
      forEachBit(cell.available, (type) => {
        prices[type] = Math.max(at(prices, type), cell.prices[type] ?? Infinity);
      });
    }
    return prices.map((usd) => (usd > -Infinity ? usd : Infinity));
  });
  const byPrice = onFirstUse(() => {
    const prices = cheapest();
    return listBits(offered()).toSorted((a, b) => at(prices, a) - at(prices, b) || compareNames(types, a, b) || a - b);
  });
  let searches = 0;
  const lowestUsd = (set: Bitset): number => {
    searches += 1;
    return searches > MAX_UNSORTED_SEARCHES
      ? findFirstPrice(set, byPrice(), cheapest())
      : findLowestPrice(set, cheapest());
  };
  return { cells, offered, cheapest, mostExpensive, byPrice, lowestUsd };
}
