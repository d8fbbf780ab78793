import { judgeDevice } from '../../api/runtime/device-selectors.ts';
import type { DeviceChoice, DeviceRequest, WantedDevices } from '../../model/devices.ts';
import { type ConstraintBook, constraintBook, isTolerated, partOf } from './device-request-checks.ts';
import { counterUses, type ShelfDevice } from './device-pools.ts';

/** The devices that one node can use. */
export interface Shelf {
  /** In the order in which they are tried. */
  readonly devices: readonly ShelfDevice[];
  /** What devices share, by `counterKey`. */
  readonly counters: ReadonlyMap<string, number>;
  /** Nobody knows whether these are all of them: some may be added, or within reach as well. */
  readonly isOpen: boolean;
}

/** How much is in use: of devices by id, of parts of them by `partKey`, of counters by theirs. */
export type InUse = (key: string) => number;

export const partKey = (device: string, capacity: string): string => `${device}#${capacity}`;

/** What a device is taken with: amounts to add to those in use. */
export interface Taking {
  readonly found: ShelfDevice;
  /** Which of the wanted claims it is for, by position. */
  readonly claim: number;
  readonly amounts: readonly (readonly [key: string, amount: number])[];
}

/** The request that got furthest, and what it lacked. */
export interface Shortage {
  readonly claim: string;
  readonly request: string;
  readonly wanted: string;
  readonly found: string;
}

export type Allocation =
  | { readonly outcome: 'allocated'; readonly takings: readonly Taking[] }
  | { readonly outcome: 'refused'; readonly shortage: Shortage };

/** @see resource.k8s.io/v1, AllocationResultsMaxSize */
export const MOST_DEVICES = 32;
/** Karpenter stops after 5 s; steps make equal searches end equally. */
const MOST_STEPS = 20_000;

/**
 * Finds devices for all claims at once, by depth-first search in the order of claims, requests and
 * devices; what is found is not yet in use.
 *
 * @see kubernetes, dynamic-resource-allocation/structured
 */
export function allocate(wanted: readonly WantedDevices[], shelf: Shelf, inUse: InUse): Allocation {
  const slots = wanted.flatMap(({ claim: name, wish }, claim) => {
    const constraints = constraintBook(wish.constraints);
    return wish.requests.map((request): Slot => ({ claim, name, request, constraints }));
  });
  const search: Search = { shelf, inUse, slots, added: new Map(), takings: [], steps: 0 };
  if (fill(search, 0)) return { outcome: 'allocated', takings: search.takings };
  const { claim = '', request = '', wanted: needed = '', found = '' } = search.shortage ?? {};
  const why = search.failure ?? (search.steps > MOST_STEPS ? 'too many ways to look at' : found);
  return { outcome: 'refused', shortage: { claim, request, wanted: needed, found: why } };
}

/** A request of a claim. */
interface Slot {
  readonly claim: number;
  readonly name: string;
  readonly request: DeviceRequest;
  readonly constraints: ConstraintBook;
}

interface Search {
  readonly shelf: Shelf;
  readonly inUse: InUse;
  readonly slots: readonly Slot[];
  readonly added: Map<string, number>;
  readonly takings: Taking[];
  steps: number;
  /** A selector that cannot be computed: kube-scheduler allocates nothing then. */
  failure?: string;
  shortage?: Shortage & { readonly depth: number };
}

function fill(search: Search, position: number): boolean {
  const slot = search.slots[position];
  if (!slot) return true;
  return slot.request.choices.some((choice) =>
    choice.count === 'all'
      ? takeAll(search, position, slot, choice)
      : takeSome(search, position, slot, choice, choice.count, 0),
  );
}

function takeSome(
  search: Search,
  position: number,
  slot: Slot,
  choice: DeviceChoice,
  left: number,
  from: number,
): boolean {
  if (left === 0) return fill(search, position + 1);
  const { devices } = search.shelf;
  // Which of its devices a request names first makes no difference: they are taken in order.
  for (let at = from; at < devices.length; at++) {
    const found = devices[at];
    if (!found || isOver(search)) return false;
    const taking = taken(search, slot, choice, found);
    if (!taking) continue;
    const next = found.device.shareable ? at : at + 1;
    if (takeSome(search, position, slot, choice, left - 1, next)) return true;
    putBack(search, slot, choice, taking);
  }
  const wanted = typeof choice.count === 'number' ? choice.count : 0;
  note(search, position, slot, choice, `${wanted}`, wanted - left);
  return false;
}

function takeAll(search: Search, position: number, slot: Slot, choice: DeviceChoice): boolean {
  const { devices, isOpen } = search.shelf;
  const matching = devices.filter((found) => suits(search, choice, found));
  if (isOpen || matching.length === 0 || isOver(search)) {
    note(search, position, slot, choice, 'all', 0);
    return false;
  }
  const all: Taking[] = [];
  for (const found of matching) {
    const taking = taken(search, slot, choice, found);
    if (!taking) break;
    all.push(taking);
  }
  if (all.length === matching.length && fill(search, position + 1)) return true;
  note(search, position, slot, choice, `all ${matching.length}`, all.length);
  for (const taking of all.toReversed()) putBack(search, slot, choice, taking);
  return false;
}

const isOver = ({ steps, failure }: Search): boolean => steps > MOST_STEPS || failure !== undefined;

function note(
  search: Search,
  position: number,
  { name, request }: Slot,
  { deviceClass }: DeviceChoice,
  wanted: string,
  found: number,
): void {
  const depth = position * MOST_DEVICES + found;
  if (search.shortage && search.shortage.depth >= depth) return;
  search.shortage = {
    depth,
    claim: name,
    request: request.name,
    wanted: `${wanted} of DeviceClass ${deviceClass}`,
    found: `${found}`,
  };
}

/** Takes the device for the request, if it can be had; it is in use from then on. */
function taken(
  search: Search,
  { claim, constraints }: Slot,
  choice: DeviceChoice,
  found: ShelfDevice,
): Taking | undefined {
  search.steps += 1;
  if (search.takings.filter((one) => one.claim === claim).length >= MOST_DEVICES) return undefined;
  if (!suits(search, choice, found)) return undefined;
  const amounts = choice.adminAccess ? [] : amountsOf(search, choice, found);
  if (!amounts || !constraints.admits(choice.name, found)) return undefined;
  const taking = { found, claim, amounts };
  search.takings.push(taking);
  for (const [key, amount] of amounts) add(search.added, key, amount);
  return taking;
}

function putBack(
  { added, takings }: Search,
  slot: Slot,
  choice: DeviceChoice,
  taking: Taking,
): void {
  takings.pop();
  slot.constraints.forget(choice.name);
  for (const [key, amount] of taking.amounts) add(added, key, -amount);
}

const add = (amounts: Map<string, number>, key: string, amount: number): void => {
  amounts.set(key, (amounts.get(key) ?? 0) + amount);
};

function suits(
  search: Search,
  { selectors, tolerations }: DeviceChoice,
  found: ShelfDevice,
): boolean {
  for (const selector of selectors) {
    const verdict = judgeDevice(selector, found.sure, found.driver);
    if (verdict === 'differs') return false;
    if (verdict === 'matches') continue;
    search.failure ??= verdict.fails;
    return false;
  }
  return isTolerated(found.device, tolerations);
}

/** What the device would be taken with; undefined if too much of it is in use. */
function amountsOf(
  { inUse, added, shelf }: Search,
  { capacity }: DeviceChoice,
  { id, driver, pool, device }: ShelfDevice,
): Taking['amounts'] | undefined {
  const used = (key: string): number => inUse(key) + (added.get(key) ?? 0);
  const users = used(id);
  if (users > 0 && !device.shareable) return undefined;
  const part = partOf(device, capacity, driver);
  if (!part) return undefined;

  const shares = device.shareable ? [...part] : [];
  const isFull = shares.some(
    ([name, amount]) => used(partKey(id, name)) + amount > (device.capacity[name]?.value ?? 0),
  );
  const parts = shares.map(([name, amount]) => [partKey(id, name), amount] as const);
  // Whoever shares a device uses the counters that the first one took.
  const counters = users > 0 ? [] : counterUses(pool, device.uses);
  const isSpent = counters.some(
    ([key, amount]) => used(key) + amount > (shelf.counters.get(key) ?? 0),
  );
  return isFull || isSpent ? undefined : [[id, 1], ...parts, ...counters];
}
