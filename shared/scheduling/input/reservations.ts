import { labelsOfReservation } from '../../model/claim-offerings.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { InstanceType, Offering, OfferingReservation } from '../../model/instance-type.ts';
import { RESERVATION_ID_LABEL } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { NodePool } from '../../model/node-pool.ts';
import { USUAL_SETTINGS } from '../../model/settings.ts';
import { addBit, type Bitset, emptyBitset } from '../data-structures/bitset.ts';
import type { TypeIndex } from '../instance-types/type-index.ts';

/**
 * Reservations as planning sees them. A type that has one stands in its pools' lists a second time,
 * with the labels of the reservation and no offering but that one: so requirements find it like any
 * other type, and what is left to do is to count.
 */
export interface Reservations {
  /** Numbers of types that run in a reservation. */
  readonly types: Bitset;
  idOf(type: number): string;
  /** Instances that each has room for, those of claims on their way taken off. */
  readonly free: ReadonlyMap<string, number>;
}

/** The same snapshot, with a type for each reservation that can be used; the same object if none. */
export function withReservations(snapshot: ClusterSnapshot): ClusterSnapshot {
  const reserved = reservedOfferings(snapshot.offerings);
  if (reserved.length === 0) return snapshot;
  const { gates } = snapshot.settings ?? USUAL_SETTINGS;
  const free = freeInstances(snapshot, reserved);
  const isUsable = ({ reservation }: Offering): boolean =>
    reservation === undefined || (gates.ReservedCapacity && (free.get(reservation.id) ?? 0) > 0);
  const usable = reserved.filter(isUsable);
  return {
    ...snapshot,
    offerings:
      usable.length < reserved.length ? snapshot.offerings.filter(isUsable) : snapshot.offerings,
    instanceTypes: Object.fromEntries(
      snapshot.pools.map((pool) => [pool.name, listWith(pool, usable, snapshot)]),
    ),
  };
}

/** @returns undefined if `snapshot` has none */
export function reservationsOf(
  snapshot: ClusterSnapshot,
  index: TypeIndex,
): Reservations | undefined {
  const reserved = reservedOfferings(snapshot.offerings);
  if (reserved.length === 0) return undefined;
  const types = emptyBitset(index.types.length);
  index.types.forEach(({ reservation }, type) => {
    if (reservation !== undefined) addBit(types, type);
  });
  return {
    types,
    idOf: (type) => index.types[type]?.reservation ?? '',
    free: freeInstances(snapshot, reserved),
  };
}

type Reserved = Offering & { readonly reservation: OfferingReservation };

const isReserved = (offering: Offering): offering is Reserved => offering.reservation !== undefined;

// The market stays one object for minutes.
const found = new WeakMap<readonly Offering[], readonly Reserved[]>();

function reservedOfferings(offerings: readonly Offering[]): readonly Reserved[] {
  const known = found.get(offerings) ?? offerings.filter(isReserved);
  found.set(offerings, known);
  return known;
}

/** Of several counts the lowest is right: the others are older. */
function freeInstances(
  { claims }: Pick<ClusterSnapshot, 'claims'>,
  reserved: readonly Reserved[],
): Map<string, number> {
  const free = new Map<string, number>();
  for (const { reservation } of reserved) {
    const { id } = reservation;
    free.set(id, Math.min(free.get(id) ?? Infinity, reservation.free));
  }
  for (const { launch, deletingAt, requirements } of claims) {
    // EC2 counts what was launched.
    if (launch || deletingAt !== undefined) continue;
    const [id] = reservationIds({ requirements });
    const left = id === undefined ? undefined : free.get(id);
    if (id !== undefined && left !== undefined) free.set(id, left - 1);
  }
  return free;
}

/** Reservations that a claim asks for by name. */
export const reservationIds = ({
  requirements,
}: Pick<NodeClaim, 'requirements'>): readonly string[] =>
  requirements.find(({ key }) => key === RESERVATION_ID_LABEL)?.values ?? [];

// Lists of types stay one object for hours, and indexes are kept by list.
const extended = new WeakMap<readonly InstanceType[], Map<string, readonly InstanceType[]>>();

function listWith(
  { name, nodeClass }: NodePool,
  usable: readonly Reserved[],
  { instanceTypes }: ClusterSnapshot,
): readonly InstanceType[] {
  const list = instanceTypes[name] ?? [];
  // Numbers break ties, so they must not depend on the order in which EC2 lists reservations.
  const own = usable
    .filter(
      ({ reservation }) =>
        reservation.nodeClass === undefined || reservation.nodeClass === nodeClass.name,
    )
    .toSorted((a, b) => (a.reservation.id < b.reservation.id ? -1 : 1));
  const key = own.map(({ reservation, instanceType }) => `${reservation.id} ${instanceType}`);
  const known = extended.get(list) ?? new Map<string, readonly InstanceType[]>();
  extended.set(list, known);
  const before = known.get(key.join());
  if (before) return before;
  const more = list.flatMap((type) =>
    own.filter(({ instanceType }) => instanceType === type.name).map((one) => inside(type, one)),
  );
  const made = more.length > 0 ? [...list, ...distinct(more)] : list;
  known.clear();
  known.set(key.join(), made);
  return made;
}

const inside = (type: InstanceType, { reservation }: Reserved): InstanceType => ({
  ...type,
  labels: { ...type.labels, ...labelsOfReservation(reservation) },
  reservation: reservation.id,
});

/** A reservation that several classes select is offered more than once. */
const distinct = (types: readonly InstanceType[]): readonly InstanceType[] => [
  ...new Map(types.map((type) => [`${type.name} ${type.reservation ?? ''}`, type])).values(),
];
