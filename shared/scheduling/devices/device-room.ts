import type { WantedDevices } from '../../model/devices.ts';
import type { Pod, PodSpec } from '../../model/pod.ts';
import type { Requirements } from '../../model/requirements.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { Opening } from '../instance-types/narrowing.ts';
import type { Problem } from '../input/problem.ts';
import { onceRunning } from '../input/memo.ts';
import { type Bitset, bitsetOf, union } from '../data-structures/bitset.ts';
import { timesWithin, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { type DeviceBook, deviceBook } from './device-tracker.ts';
import { hostOfBin, hostOfDraft } from './device-hosts.ts';
import { amountsInUse, heldClaims } from './held-device-claims.ts';

/**
 * The book that a batch is placed by.
 *
 * @param settled - the batch as packing sees it
 * @returns undefined where nobody of it wants devices
 */
export function bookFor(
  problem: Problem,
  settled: readonly { readonly spec: PodSpec }[],
  batch: readonly Pod[],
): DeviceBook | undefined {
  const { devices, pods } = problem.snapshot;
  if (!devices || !settled.some(({ spec }) => spec.settled?.devices)) return undefined;
  return deviceBook(amountsInUse(devices, heldClaims(devices, pods, batch)));
}

/** How many of `most` pods find their devices on a node or claim that is there. */
export function deviceRoom(
  { settled }: PodSpec,
  bin: ExistingBin,
  free: Vector,
  most: number,
  problem: Problem,
): number {
  const wanted = settled?.devices;
  if (!wanted) return most;
  if (!problem.devices || !holdsTogether(settled, free, problem)) return 0;
  const rooms = problem.devices.room(hostOfBin(bin, problem), wanted, most);
  return Math.min(most, ...rooms);
}

/** Pods that share a claim have to share the node: where not all have room, none is put. */
function holdsTogether(
  { together, devices }: NonNullable<PodSpec['settled']>,
  free: Vector,
  { columns, devices: book }: Problem,
): boolean {
  if (!together || !book) return true;
  const isOpen = devices?.some(({ shared }) => shared !== undefined && !book.isPlaced(shared));
  return !isOpen || timesWithin(toVector(columns, together), free) > 0;
}

export function takeDevices(
  { settled }: PodSpec,
  bin: ExistingBin,
  pods: number,
  problem: Problem,
): void {
  if (settled?.devices) problem.devices?.put(hostOfBin(bin, problem), settled.devices, pods);
}

/** What is left of a pool for a pod that wants devices: the types that have them when empty. */
export function withDevices<Place extends Opening>(
  { settled }: PodSpec,
  place: Place,
  problem: Problem,
): Place {
  const wanted = settled?.devices;
  if (!wanted) return place;
  const host = hostOfDraft(place, place, problem);
  const rooms = deviceBook(NOTHING_IN_USE).room(host, wanted, 1);
  return { ...place, types: typesWhere(host.typesOfKind, (kind) => rooms[kind] === 1, problem) };
}

const NOTHING_IN_USE: ReadonlyMap<string, number> = new Map();

/** By what is wanted, then by the labels that a node will have: they tell which devices it reaches. */
const knownRooms = onceRunning(
  () => new Map<readonly WantedDevices[], Map<Requirements, Map<string, number>>>(),
);

/** As many as are worth telling apart: what a node costs per pod hardly changes beyond. */
const MOST_ON_EMPTY = 64;

/** How many such pods an empty node of the type has devices for; Infinity if they want none. */
export function deviceRoomOnEmpty(
  { settled }: PodSpec,
  place: Opening,
  type: number,
  problem: Problem,
): number {
  const wanted = settled?.devices;
  if (!wanted) return Infinity;
  const known = roomsKnown(wanted, place, problem);
  const { template, where } = place;
  const key = `${template.pool.name} ${type} ${where.zones} ${where.capacityTypes}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const only = { ...place, types: bitsetOf([type], problem.index.types.length) };
  const host = hostOfDraft(place, only, problem);
  const [room = 0] = deviceBook(NOTHING_IN_USE).room(host, wanted, MOST_ON_EMPTY);
  known.set(key, room);
  return room;
}

function roomsKnown(
  wanted: readonly WantedDevices[],
  { custom }: Opening,
  problem: Problem,
): Map<string, number> {
  const byWanted = knownRooms(problem);
  const byLabels = byWanted.get(wanted) ?? new Map<Requirements, Map<string, number>>();
  const known = byLabels.get(custom) ?? new Map<string, number>();
  byWanted.set(wanted, byLabels.set(custom, known));
  return known;
}

/** Types of a node to launch, with how many of `most` pods find their devices on each of them. */
export function deviceRoomsOnNew(
  { settled }: PodSpec,
  book: DeviceBook | undefined,
  node: object,
  place: Opening,
  most: number,
  problem: Problem,
): readonly { readonly types: Bitset; readonly room: number }[] | undefined {
  const wanted = settled?.devices;
  if (!wanted) return undefined;
  const host = hostOfDraft(node, place, problem);
  const rooms = book?.room(host, wanted, most) ?? [];
  return host.typesOfKind.map((types, kind) => ({ types, room: rooms[kind] ?? 0 }));
}

/** Gives a node to launch the devices of these pods: it is left with the types that have them. */
export function takeDevicesOnNew(
  { settled }: PodSpec,
  book: DeviceBook | undefined,
  node: NodeWithDevices,
  pods: number,
  problem: Problem,
): void {
  const wanted = settled?.devices;
  if (!wanted || !book) return;
  const host = hostOfDraft(node, node, problem);
  const { stays, drivers } = book.put(host, wanted, pods);
  node.types = typesWhere(host.typesOfKind, (kind) => stays[kind] === true, problem);
  for (const driver of drivers) node.drivers.add(driver);
}

interface NodeWithDevices extends Opening {
  types: Bitset;
  readonly drivers: Set<string>;
}

const typesWhere = (
  typesOfKind: readonly Bitset[],
  isKept: (kind: number) => boolean,
  { index }: Problem,
): Bitset => typesOfKind.filter((_, kind) => isKept(kind)).reduce(union, index.none);
