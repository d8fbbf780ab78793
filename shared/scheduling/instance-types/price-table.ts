import { PLACEMENT_GROUP_ID_LABEL } from '../../model/labels.ts';
import type { CapacityType, InstanceType, Offering, UnavailableOffering } from '../../model/offerings/instance-type.ts';
import { addBit, type Bitset, createEmptyBitset, listBits, removeBit } from '../data-structures/bitset.ts';
import type { TypeIndex } from './type-index.ts';

/** In the order in which a launch prefers them. */
export const CAPACITY_TYPES: readonly CapacityType[] = ['reserved', 'spot', 'on-demand'];

/** All offerings of one zone and capacity type, by type number. */
export interface PriceCell {
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly zoneBit: number;
  readonly capacityBit: number;
  /** USD per hour; Infinity if there is no offering. */
  readonly prices: Float64Array;
  readonly listed: Bitset;
}

export interface PriceTable {
  readonly types: TypeIndex;
  readonly zones: readonly string[];
  readonly cells: readonly PriceCell[];
}

// Prices change every few minutes at most; decisions are made far more often.
const tables = new WeakMap<readonly Offering[], PriceTable>();

export function getPriceTable(types: TypeIndex, offerings: readonly Offering[]): PriceTable {
  const cached = tables.get(offerings);
  if (cached?.types === types) return cached;
  const table = buildTable(types, offerings);
  tables.set(offerings, table);
  return table;
}

function buildTable(types: TypeIndex, offerings: readonly Offering[]): PriceTable {
  const zones = [...new Set(offerings.map(({ zone }) => zone))].toSorted();
  const cells = new Map<string, PriceCell>();
  for (const offering of offerings) {
    const { instanceType, zone, capacityType, hourlyUsd } = offering;
    const key = `${zone} ${capacityType}`;
    let cell = cells.get(key);
    if (!cell) {
      cell = {
        zone,
        capacityType,
        zoneBit: 2 ** zones.indexOf(zone),
        capacityBit: 2 ** CAPACITY_TYPES.indexOf(capacityType),
        prices: new Float64Array(types.types.length).fill(Infinity),
        listed: createEmptyBitset(types.types.length),
      };
      cells.set(key, cell);
    }
    for (const type of types.numbersOf.get(instanceType) ?? []) {
      if (!isOfferedAs(types.types[type], offering)) continue;
      cell.prices[type] = Math.min(cell.prices[type] ?? Infinity, hourlyUsd);
      addBit(cell.listed, type);
    }
  }
  const ordered = [...cells.values()].toSorted((a, b) => a.zoneBit - b.zoneBit || a.capacityBit - b.capacityBit);
  return { types, zones, cells: ordered };
}

/** Types in a reservation or commitment, and with prices from overlays, have offerings of their own. */
const isOfferedAs = (type: InstanceType | undefined, { reservation, commitment, overlay }: Offering): boolean =>
  type?.reservation === reservation?.id && type?.commitment?.id === commitment && type?.overlay?.market === overlay;

/** Finds the types of a cell that are not marked as unavailable. */
export function findAvailable(cell: PriceCell, types: TypeIndex, unavailable: readonly UnavailableOffering[]): Bitset {
  const unavailableHere = unavailable.filter(
    ({ zone, capacityType }) =>
      (zone === undefined || zone === cell.zone) && (capacityType === undefined || capacityType === cell.capacityType),
  );
  if (unavailableHere.length === 0) return cell.listed;
  if (unavailableHere.some(coversAllTypes)) return types.none;

  const available = cell.listed.slice();
  for (const { instanceType, placementGroup, reservationId } of unavailableHere) {
    const numbers = instanceType === undefined ? listBits(available) : types.numbersOf.get(instanceType);
    for (const type of numbers ?? []) {
      const { labels, reservation } = types.types[type] ?? {};
      const group = labels?.[PLACEMENT_GROUP_ID_LABEL];
      if ((placementGroup ?? group) === group && (reservationId ?? reservation) === reservation)
        removeBit(available, type);
    }
  }
  return available;
}

const coversAllTypes = ({ instanceType, placementGroup, reservationId }: UnavailableOffering): boolean =>
  instanceType === undefined && placementGroup === undefined && reservationId === undefined;
