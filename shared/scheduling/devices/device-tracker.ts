import type { WantedDevices } from '../../model/devices.ts';
import type { Requirements } from '../../model/requirements.ts';
import { allocate, type Shelf, type Shortage, type Taking } from './allocate-devices.ts';
import { termsOf } from './device-pools.ts';

/** Something that is or will be one node. It may turn out as one of several kinds. */
export interface DeviceHost {
  /** What tells it from others. */
  readonly is: object;
  readonly kinds: readonly HostKind[];
  /** Whether it is certain to meet one of the terms. */
  reaches(terms: readonly Requirements[]): boolean;
}

/** A kind of node that a host may be: the devices that it could use. */
export interface HostKind {
  /** Those that come with the node; one object for equal kinds. Absent: none, or it is there. */
  readonly own?: Shelf;
  readonly shelf: Shelf;
}

/** Which devices a plan has used so far, on what it looks at as nodes. */
export interface DeviceBook {
  /** A book of its own that begins where this one stands. */
  fork(): DeviceBook;
  /** Whether some claim has the device, by its id. */
  isInUse(device: string): boolean;
  /** Whether a claim that several pods name has its devices. */
  isPlaced(shared: string): boolean;
  /** How many of `most` equal pods each of the kinds takes. */
  room(host: DeviceHost, wanted: readonly WantedDevices[], most: number): readonly number[];
  /**
   * Takes the devices of so many pods. Kinds that would take other devices of the cluster than the
   * first are given up, for nobody knows which of them it will be.
   */
  put(host: DeviceHost, wanted: readonly WantedDevices[], pods: number): Put;
  /** What one pod lacks on a kind; undefined: nothing, or its claim is bound to another node. */
  shortage(
    host: DeviceHost,
    kind: HostKind,
    wanted: readonly WantedDevices[],
  ): Shortage | undefined;
}

export interface Put {
  /** Beside the kinds of the host: whether it may still be that one. */
  readonly stays: readonly boolean[];
  /** Of devices that come with the node. */
  readonly drivers: readonly string[];
}

/** Where a claim that several pods name has its devices. */
interface SharedPlace {
  readonly host: object;
  /** Only its node can use them. */
  readonly isLocal: boolean;
  readonly terms: readonly (readonly Requirements[])[];
}

interface State {
  /** In the cluster, by the keys of an allocation. */
  readonly inUse: ReadonlyMap<string, number>;
  /** The same, by this plan. */
  readonly taken: Map<string, number>;
  /** Of devices to come, by host and kind. */
  readonly coming: Map<object, Map<Shelf, ReadonlyMap<string, number>>>;
  readonly shared: Map<string, SharedPlace>;
}

export const deviceBook = (inUse: ReadonlyMap<string, number>): DeviceBook =>
  bookOf({ inUse, taken: new Map(), coming: new Map(), shared: new Map() });

const bookOf = (state: State): DeviceBook => ({
  fork: () => bookOf(copied(state)),
  isInUse: (device) => (state.inUse.get(device) ?? 0) > 0,
  isPlaced: (shared) => state.shared.has(shared),
  room: (host, wanted, most) =>
    host.kinds.map((kind) => fitOf(state, host, kind, wanted, most).pods),
  put: (host, wanted, pods) => put(state, host, wanted, pods),
  shortage: (host, kind, wanted) => fitOf(state, host, kind, wanted, 1).shortage,
});

const copied = ({ inUse, taken, coming, shared }: State): State => ({
  inUse,
  taken: new Map(taken),
  coming: new Map([...coming].map(([host, kinds]) => [host, new Map(kinds)])),
  shared: new Map(shared),
});

/** How many pods found devices on a kind, and which. */
interface Fit {
  readonly pods: number;
  readonly takings: readonly (Taking & { readonly wanted: WantedDevices })[];
  readonly shortage?: Shortage;
}

function fitOf(
  state: State,
  host: DeviceHost,
  { own, shelf }: HostKind,
  wanted: readonly WantedDevices[],
  most: number,
): Fit {
  if (wanted.some(({ shared }) => isElsewhere(state, host, shared))) return NO_FIT;
  const before = own && state.coming.get(host.is)?.get(own);
  const added = new Map<string, number>();
  const inUse = (key: string): number =>
    (added.get(key) ?? 0) +
    (before?.get(key) ?? 0) +
    (state.taken.get(key) ?? 0) +
    (state.inUse.get(key) ?? 0);
  const takings: Fit['takings'][number][] = [];
  const isOpen = ({ shared }: WantedDevices) => shared === undefined || !state.shared.has(shared);
  let open = wanted.filter(isOpen);
  for (let pods = 0; pods < most; pods++) {
    // All that is left is claims that have their devices: as many pods as like can use them.
    if (open.length === 0) break;
    const allocation = allocate(open, shelf, inUse);
    if (allocation.outcome === 'refused') {
      return { pods, takings, shortage: allocation.shortage };
    }
    for (const taking of allocation.takings) {
      const claim = open[taking.claim];
      if (claim) takings.push({ ...taking, wanted: claim });
      addAll(added, taking);
    }
    open = open.filter(({ shared }) => shared === undefined);
  }
  return { pods: most, takings };
}

const NO_FIT: Fit = { pods: 0, takings: [] };

function isElsewhere(state: State, host: DeviceHost, shared: string | undefined): boolean {
  const place = shared === undefined ? undefined : state.shared.get(shared);
  if (!place) return false;
  if (place.isLocal) return place.host !== host.is;
  return !place.terms.every((terms) => terms.length === 0 || host.reaches(terms));
}

function addAll(amounts: Map<string, number>, taking: Taking): void {
  for (const [key, amount] of taking.amounts) amounts.set(key, (amounts.get(key) ?? 0) + amount);
}

function put(state: State, host: DeviceHost, wanted: readonly WantedDevices[], pods: number): Put {
  const fits = host.kinds.map((kind) => fitOf(state, host, kind, wanted, pods));
  const first = fits.find((one) => one.pods === pods);
  if (!first) return { stays: fits.map(() => false), drivers: [] };
  const stays = fits.map((one) => one.pods === pods && inCluster(one) === inCluster(first));
  for (const taking of first.takings) if (!taking.found.isComing) addAll(state.taken, taking);
  for (const [at, { takings }] of fits.entries()) {
    const own = host.kinds[at]?.own;
    if (stays[at] && own) keepComing(state, host, own, takings);
  }
  for (const { shared } of wanted) {
    if (shared === undefined || state.shared.has(shared)) continue;
    state.shared.set(shared, placeOf(shared, host, first));
  }
  const coming = first.takings.filter(({ found }) => found.isComing);
  return { stays, drivers: coming.map(({ found }) => found.driver) };
}

function placeOf(shared: string, { is }: DeviceHost, { takings }: Fit): SharedPlace {
  const reaches = takings
    .filter((taking) => taking.wanted.shared === shared)
    .map(({ found }) => termsOf(found.reach));
  const terms = reaches.filter((one) => one !== undefined);
  return { host: is, isLocal: terms.length < reaches.length, terms };
}

/** The devices that others could use as well, as text. */
const inCluster = ({ takings }: Fit): string =>
  takings
    .filter(({ found }) => !found.isComing)
    .map(({ found }) => found.id)
    .join();

function keepComing(
  { coming }: State,
  host: DeviceHost,
  own: Shelf,
  takings: readonly Taking[],
): void {
  const kinds = coming.get(host.is) ?? new Map<Shelf, ReadonlyMap<string, number>>();
  coming.set(host.is, kinds);
  const amounts = new Map(kinds.get(own));
  for (const taking of takings) if (taking.found.isComing) addAll(amounts, taking);
  kinds.set(own, amounts);
}
