import type { CapacityType, Offering, UnavailableOffering } from '../model/instance-type.ts';
import { addBit, type Bitset, emptyBitset, forEachBit, hasBit, union } from './bitset.ts';
import type { TypeIndex } from './type-index.ts';

/** In the order in which a launch prefers them. */
export const CAPACITY_TYPES: readonly CapacityType[] = ['reserved', 'spot', 'on-demand'];

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
  /** The price of one offering, whether EC2 has any or not. */
  listedUsd(type: number, zone: string, capacityType: CapacityType): number | undefined;
  /** The highest price among the available offerings of a type in `where`; Infinity for none. */
  dearestUsd(type: number, where: Where): number;
  /** How many offerings the types have in `where`, available ones only if asked. */
  count(types: Bitset, where: Where, availableOnly: boolean): number;
}

interface Cell {
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly zoneBit: number;
  readonly capacityBit: number;
  readonly prices: Float64Array;
  readonly listed: Bitset;
}

interface PriceTable {
  readonly types: TypeIndex;
  readonly zones: readonly string[];
  readonly cells: readonly Cell[];
}

// Prices move every few minutes at most, decisions are made far more often.
const tables = new WeakMap<readonly Offering[], PriceTable>();

export function offeringIndex(
  types: TypeIndex,
  offerings: readonly Offering[],
  unavailable: readonly UnavailableOffering[],
  now: number,
): OfferingIndex {
  const known = tables.get(offerings);
  const table = known?.types === types ? known : buildTable(types, offerings);
  tables.set(offerings, table);

  const dry = unavailable.filter(({ until }) => until > now);
  const cells = table.cells.map((cell) => ({ ...cell, available: availableIn(cell, types, dry) }));
  const remembered = new Map<number, Bitset>();
  const covers = (cell: Cell, where: Where) =>
    (where.zones & cell.zoneBit) !== 0 && (where.capacityTypes & cell.capacityBit) !== 0;

  function cheapestCell(type: number, where: Where) {
    let best: (typeof cells)[number] | undefined;
    let price = Infinity;
    for (const cell of cells) {
      if (!covers(cell, where) || !hasBit(cell.available, type)) continue;
      const usd = cell.prices[type] ?? Infinity;
      if (usd < price) [best, price] = [cell, usd];
    }
    return { best, price };
  }

  return {
    zones: table.zones,
    everywhere: { zones: 2 ** table.zones.length - 1, capacityTypes: 0b111 },
    offered(where) {
      const key = where.zones * 8 + where.capacityTypes;
      let set = remembered.get(key);
      if (!set) {
        set = types.none;
        for (const cell of cells) if (covers(cell, where)) set = union(set, cell.available);
        remembered.set(key, set);
      }
      return set;
    },
    cheapestUsd: (type, where) => cheapestCell(type, where).price,
    cheapest(type, where) {
      const { best, price } = cheapestCell(type, where);
      const instanceType = types.types[type]?.name;
      return best && instanceType
        ? { instanceType, zone: best.zone, capacityType: best.capacityType, hourlyUsd: price }
        : undefined;
    },
    listedUsd(type, zone, capacityType) {
      const usd = cells.find((cell) => cell.zone === zone && cell.capacityType === capacityType)
        ?.prices[type];
      return usd !== undefined && usd < Infinity ? usd : undefined;
    },
    dearestUsd(type, where) {
      const prices = cells
        .filter((cell) => covers(cell, where) && hasBit(cell.available, type))
        .map(({ prices: all }) => all[type] ?? Infinity);
      return prices.length > 0 ? Math.max(...prices) : Infinity;
    },
    count(set, where, availableOnly) {
      let count = 0;
      for (const cell of cells) {
        if (!covers(cell, where)) continue;
        const among = availableOnly ? cell.available : cell.listed;
        forEachBit(set, (type) => {
          if (hasBit(among, type)) count++;
        });
      }
      return count;
    },
  };
}

function buildTable(types: TypeIndex, offerings: readonly Offering[]): PriceTable {
  const zones = [...new Set(offerings.map(({ zone }) => zone))].toSorted();
  const cells = new Map<string, Cell>();
  for (const { instanceType, zone, capacityType, hourlyUsd } of offerings) {
    const key = `${zone} ${capacityType}`;
    let cell = cells.get(key);
    if (!cell) {
      cell = {
        zone,
        capacityType,
        zoneBit: 2 ** zones.indexOf(zone),
        capacityBit: 2 ** CAPACITY_TYPES.indexOf(capacityType),
        prices: new Float64Array(types.types.length).fill(Infinity),
        listed: emptyBitset(types.types.length),
      };
      cells.set(key, cell);
    }
    for (const type of types.numbersOf.get(instanceType) ?? []) {
      cell.prices[type] = Math.min(cell.prices[type] ?? Infinity, hourlyUsd);
      addBit(cell.listed, type);
    }
  }
  const ordered = [...cells.values()].toSorted(
    (a, b) => a.zoneBit - b.zoneBit || a.capacityBit - b.capacityBit,
  );
  return { types, zones, cells: ordered };
}

function availableIn(cell: Cell, types: TypeIndex, dry: readonly UnavailableOffering[]): Bitset {
  const here = dry.filter(
    ({ zone, capacityType }) =>
      (zone === undefined || zone === cell.zone) &&
      (capacityType === undefined || capacityType === cell.capacityType),
  );
  if (here.length === 0) return cell.listed;
  if (here.some(({ instanceType }) => instanceType === undefined)) return types.none;

  const available = cell.listed.slice();
  for (const { instanceType } of here) {
    for (const type of types.numbersOf.get(instanceType ?? '') ?? []) {
      available[type >>> 5] = (available[type >>> 5] ?? 0) & ~(1 << (type & 31));
    }
  }
  return available;
}
