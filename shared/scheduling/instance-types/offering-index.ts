import type { CapacityType, Offering, UnavailableOffering } from '../../model/instance-type.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { type Bitset, bitsOf, forEachBit, hasBit, union } from '../data-structures/bitset.ts';
import { availableIn, type PriceCell, priceTable } from './price-table.ts';
import type { TypeIndex } from './type-index.ts';

/** Bits of `Where.capacityTypes`. */
export const SPOT = 0b010;
export const ON_DEMAND = 0b100;

/** Zones and capacity types as bits, so that "where" is two small numbers. */
export interface Where {
  readonly zones: number;
  readonly capacityTypes: number;
}

/** Prices and availability by type number, zone and capacity type. */
export interface OfferingIndex {
  readonly zones: readonly string[];
  readonly everywhere: Where;
  /** Types with an available offering somewhere in `where`. */
  offered(where: Where): Bitset;
  /** The cheapest available offering of a type in `where`. */
  cheapest(type: number, where: Where): Offering | undefined;
  /** Its price; Infinity when there is none. */
  cheapestUsd(type: number, where: Where): number;
  /** By type number, the same for all types. */
  pricesIn(where: Where): Float64Array;
  /** The types on offer there, cheapest first, among equals by name. */
  byPrice(where: Where): readonly number[];
  /** The highest price among the available offerings of a type in `where`; Infinity for none. */
  dearestUsd(type: number, where: Where): number;
  /** The price of one offering, whether EC2 has any or not. */
  listedUsd(type: number, zone: string, capacityType: CapacityType): number | undefined;
  /** How many offerings the types have in `where`, available ones only if asked. */
  count(types: Bitset, where: Where, availableOnly: boolean): number;
}

interface Known {
  readonly types: TypeIndex;
  readonly dry: string;
  readonly index: OfferingIndex;
}

// One decision asks a thousand times, and the next one finds the same market.
const indexes = new WeakMap<readonly Offering[], Known>();

export function offeringIndex(
  types: TypeIndex,
  offerings: readonly Offering[],
  unavailable: readonly UnavailableOffering[],
  now: number,
): OfferingIndex {
  const dry = unavailable.filter(({ until }) => until > now);
  const dryText = JSON.stringify(dry);
  const known = indexes.get(offerings);
  if (known?.types === types && known.dry === dryText) return known.index;
  const index = buildIndex(types, offerings, dry);
  indexes.set(offerings, { types, dry: dryText, index });
  return index;
}

interface Cell extends PriceCell {
  readonly available: Bitset;
}

/** What holds for one `where`, worked out on first use. */
interface Corner {
  readonly cells: readonly Cell[];
  readonly offered: Bitset;
  readonly cheapest: Float64Array;
  readonly dearest: Float64Array;
  readonly byPrice: readonly number[];
}

function buildIndex(
  types: TypeIndex,
  offerings: readonly Offering[],
  dry: readonly UnavailableOffering[],
): OfferingIndex {
  const table = priceTable(types, offerings);
  const cells = table.cells.map((cell) => ({ ...cell, available: availableIn(cell, types, dry) }));
  const cornerAt = cornersOf(cells, types);
  return {
    zones: table.zones,
    everywhere: { zones: 2 ** table.zones.length - 1, capacityTypes: 0b111 },
    offered: (where) => cornerAt(where).offered,
    cheapestUsd: (type, where) => cornerAt(where).cheapest[type] ?? Infinity,
    pricesIn: (where) => cornerAt(where).cheapest,
    byPrice: (where) => cornerAt(where).byPrice,
    dearestUsd: (type, where) => cornerAt(where).dearest[type] ?? Infinity,
    cheapest(type, where) {
      const corner = cornerAt(where);
      const hourlyUsd = corner.cheapest[type] ?? Infinity;
      const cell = corner.cells.find(
        ({ prices, available }) => prices[type] === hourlyUsd && hasBit(available, type),
      );
      const instanceType = types.types[type]?.name;
      if (!cell || instanceType === undefined) return undefined;
      return { instanceType, zone: cell.zone, capacityType: cell.capacityType, hourlyUsd };
    },
    listedUsd(type, zone, capacityType) {
      const usd = cells.find((cell) => cell.zone === zone && cell.capacityType === capacityType)
        ?.prices[type];
      return usd !== undefined && usd < Infinity ? usd : undefined;
    },
    count: (set, where, availableOnly) => countIn(cornerAt(where), set, availableOnly),
  };
}

function countIn({ cells }: Corner, set: Bitset, availableOnly: boolean): number {
  let count = 0;
  for (const { available, listed } of cells) {
    const among = availableOnly ? available : listed;
    forEachBit(set, (type) => {
      if (hasBit(among, type)) count++;
    });
  }
  return count;
}

function cornersOf(cells: readonly Cell[], types: TypeIndex): (where: Where) => Corner {
  const corners = new Map<number, Corner>();
  return ({ zones, capacityTypes }) => {
    const key = zones * 8 + capacityTypes;
    let corner = corners.get(key);
    if (!corner) {
      const here = cells.filter(
        ({ zoneBit, capacityBit }) =>
          (zones & zoneBit) !== 0 && (capacityTypes & capacityBit) !== 0,
      );
      corner = cornerOf(here, types);
      corners.set(key, corner);
    }
    return corner;
  };
}

function compareNames({ types }: TypeIndex, a: number, b: number): number {
  const [one, other] = [types[a]?.name ?? '', types[b]?.name ?? ''];
  return one < other ? -1 : Number(one > other);
}

function cornerOf(cells: readonly Cell[], types: TypeIndex): Corner {
  const cheapest = new Float64Array(types.types.length).fill(Infinity);
  const dearest = new Float64Array(types.types.length).fill(-Infinity);
  let offered = types.none;
  for (const { available, prices } of cells) {
    offered = union(offered, available);
    forEachBit(available, (type) => {
      const usd = prices[type] ?? Infinity;
      cheapest[type] = Math.min(cheapest[type] ?? Infinity, usd);
      dearest[type] = Math.max(dearest[type] ?? -Infinity, usd);
    });
  }
  return {
    cells,
    offered,
    cheapest,
    dearest: dearest.map((usd) => (usd > -Infinity ? usd : Infinity)),
    byPrice: bitsOf(offered).toSorted(
      (a, b) => at(cheapest, a) - at(cheapest, b) || compareNames(types, a, b) || a - b,
    ),
  };
}
