import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { RESERVATION_ID_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { toReservationLabels } from '../../model/offerings/claim-offerings.ts';
import type { InstanceType, Offering, OfferingReservation } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { DEFAULT_SETTINGS } from '../../model/settings.ts';
import { addBit, type Bitset, createEmptyBitset } from '../data-structures/bitset.ts';
import type { TypeIndex } from '../instance-types/type-index.ts';
import { type CommitmentCoverage, ROUNDING } from './commitment-coverage.ts';
import type { PlanningSnapshot, SnapshotWithOverlays, SnapshotWithReservations } from './snapshot-stages.ts';

/**
 * The capacity of a plan that is paid for: capacity reservations and commitments. Each type with a
 * reservation is listed a second time in its NodePools, with the reservation's labels and only its
 * offering. So requirements match it as any other type, and only instances remain to be counted.
 */
export interface Reservations {
  /** Numbers of the types that run in a reservation or are covered by a commitment. */
  readonly types: Bitset;
  /** Those of them that are covered by a commitment. Pods never wait for it. */
  readonly committed: Bitset;
  /** The id of the reservation or commitment of one of `types`. */
  idOf(type: number): string;
  /** The amount that an instance takes: 1 of a reservation, the units of the type of a commitment. */
  unitsOf(type: number): number;
  /** The free amounts by id: instances less the claims that are not launched yet, or units. */
  readonly free: ReadonlyMap<string, number>;
}

/** True if enough for an instance of the type is free. */
export const hasFreeUnits = (
  { idOf, unitsOf }: Reservations,
  free: ReadonlyMap<string, number>,
  type: number,
): boolean => (free.get(idOf(type)) ?? 0) >= unitsOf(type) - ROUNDING;

export function takeUnits({ idOf, unitsOf }: Reservations, free: Map<string, number>, type: number): void {
  const id = idOf(type);
  free.set(id, (free.get(id) ?? 0) - unitsOf(type));
}

/** Adds an instance type for each reservation that can be used. */
export function addReservedTypes(snapshot: SnapshotWithOverlays): SnapshotWithReservations {
  const reserved = listReservedOfferings(snapshot.offerings);
  if (reserved.length === 0) return { ...snapshot, stage: 'reservations' };
  const { gates } = snapshot.settings ?? DEFAULT_SETTINGS;
  const free = countFreeInstances(snapshot, reserved);
  const isUsable = ({ reservation }: Offering): boolean =>
    reservation === undefined || (gates.ReservedCapacity && (free.get(reservation.id) ?? 0) > 0);
  const usable = reserved.filter(isUsable);
  return {
    ...snapshot,
    offerings: usable.length < reserved.length ? snapshot.offerings.filter(isUsable) : snapshot.offerings,
    instanceTypes: Object.fromEntries(snapshot.pools.map((pool) => [pool.name, extendList(pool, usable, snapshot)])),
    stage: 'reservations',
  };
}

/** @returns undefined if `snapshot` has none */
export function indexReservations(
  snapshot: PlanningSnapshot,
  index: TypeIndex,
  coverage: CommitmentCoverage | undefined,
): Reservations | undefined {
  const reserved = listReservedOfferings(snapshot.offerings);
  if (reserved.length === 0 && !coverage) return undefined;
  const types = createEmptyBitset(index.types.length);
  const committed = createEmptyBitset(index.types.length);
  index.types.forEach(({ reservation, commitment }, type) => {
    if (reservation !== undefined || commitment) addBit(types, type);
    if (commitment) addBit(committed, type);
  });
  return {
    types,
    committed,
    idOf: (type) => index.types[type]?.reservation ?? index.types[type]?.commitment?.id ?? '',
    unitsOf: (type) => index.types[type]?.commitment?.units ?? 1,
    free: new Map([...countFreeInstances(snapshot, reserved), ...(coverage?.free ?? [])]),
  };
}

type ReservedOffering = Offering & { readonly reservation: OfferingReservation };

const isReserved = (offering: Offering): offering is ReservedOffering => offering.reservation !== undefined;

// The list of offerings stays the same object for minutes.
const reservedByOfferings = new WeakMap<readonly Offering[], readonly ReservedOffering[]>();

function listReservedOfferings(offerings: readonly Offering[]): readonly ReservedOffering[] {
  return getOrCreate(reservedByOfferings, offerings, () => offerings.filter(isReserved));
}

/** If the counts of one reservation differ, the lowest is the most recent. */
function countFreeInstances(
  { claims }: Pick<ClusterSnapshot, 'claims'>,
  reserved: readonly ReservedOffering[],
): Map<string, number> {
  const free = new Map<string, number>();
  for (const { reservation } of reserved) {
    const { id } = reservation;
    free.set(id, Math.min(free.get(id) ?? Infinity, reservation.free));
  }
  for (const { launch, deletingAt, requirements } of claims) {
    // EC2's count already includes launched claims.
    if (launch || deletingAt !== undefined) continue;
    const [id] = listReservationIds({ requirements });
    const remaining = id === undefined ? undefined : free.get(id);
    if (id !== undefined && remaining !== undefined) free.set(id, remaining - 1);
  }
  return free;
}

/** Lists the reservations that a claim requires by id. */
export const listReservationIds = ({ requirements }: Pick<NodeClaim, 'requirements'>): readonly string[] =>
  requirements.find(({ key }) => key === RESERVATION_ID_LABEL)?.values ?? [];

// Lists of types stay the same object for hours, and indexes are cached by list.
const extendedLists = new WeakMap<readonly InstanceType[], Map<string, readonly InstanceType[]>>();

function extendList(
  { name, nodeClass }: NodePool,
  usable: readonly ReservedOffering[],
  { instanceTypes }: ClusterSnapshot,
): readonly InstanceType[] {
  const list = ownValue(instanceTypes, name) ?? [];
  // Type numbers break ties, so they must not depend on the order in which EC2 lists reservations.
  const poolOfferings = usable
    .filter(({ reservation }) => reservation.nodeClass === undefined || reservation.nodeClass === nodeClass.name)
    .toSorted((a, b) => (a.reservation.id < b.reservation.id ? -1 : 1));
  const key = poolOfferings.map(({ reservation, instanceType }) => `${reservation.id} ${instanceType}`);
  const cached = getOrCreate(extendedLists, list, () => new Map());
  return getOrCreate(cached, key.join(), () => {
    const reservedTypes = list.flatMap((type) =>
      poolOfferings.filter(({ instanceType }) => instanceType === type.name).map((one) => toReservedType(type, one)),
    );
    const extendedList = reservedTypes.length > 0 ? [...list, ...removeDuplicates(reservedTypes)] : list;
    cached.clear();
    return extendedList;
  });
}

const toReservedType = (type: InstanceType, { reservation }: ReservedOffering): InstanceType => ({
  ...type,
  labels: { ...type.labels, ...toReservationLabels(reservation) },
  reservation: reservation.id,
});

/** A reservation that several NodeClasses select is offered more than once. */
const removeDuplicates = (types: readonly InstanceType[]): readonly InstanceType[] => [
  ...new Map(types.map((type) => [`${type.name} ${type.reservation ?? ''}`, type])).values(),
];
