import { evaluateSelector } from '../../api/cel/device-selectors.ts';
import { ownValue } from '../../model/own-value.ts';
import type { DeviceRequest, DeviceSelection, ResolvedDeviceClaim } from '../../model/pods/devices.ts';
import { listCounterUses, type SuppliedDevice } from './device-pools.ts';
import {
  type ConstraintTracker,
  computeConsumedCapacity,
  createConstraintTracker,
  isTolerated,
} from './device-request-checks.ts';

/** The devices that one node can use. */
export interface DeviceSupply {
  /** In the order in which the search tries them. */
  readonly devices: readonly SuppliedDevice[];
  /** Shared counters of the devices, by `toCounterKey`. */
  readonly counters: ReadonlyMap<string, number>;
  /** True if the node may reach more devices than these. */
  readonly isIncomplete: boolean;
}

/**
 * Returns the amount in use: of a device by its id, of a device capacity by `toCapacityKey`, of a
 * counter by `toCounterKey`.
 */
export type UsedAmounts = (key: string) => number;

export const toCapacityKey = (device: string, capacity: string): string => `${device}#${capacity}`;

/** One allocated device, with the amounts that it adds to those in use. */
export interface DeviceAllocation {
  readonly supplied: SuppliedDevice;
  /** Index of the claim that the device is allocated to. */
  readonly claim: number;
  readonly amounts: readonly (readonly [key: string, amount: number])[];
}

/** The request that the search satisfied furthest, and what was missing. */
export interface DeviceShortage {
  readonly claim: string;
  readonly request: string;
  readonly wanted: string;
  readonly found: string;
}

export type AllocationResult = (
  | { readonly outcome: 'allocated'; readonly allocations: readonly DeviceAllocation[] }
  | { readonly outcome: 'refused'; readonly shortage: DeviceShortage }
) & {
  /** Number of devices that were tried. */
  readonly steps: number;
};

/** @see resource.k8s.io/v1, AllocationResultsMaxSize */
export const MAX_DEVICES = 32;
/** Karpenter stops after 5 s. A step limit makes equal searches end equally. */
const MAX_STEPS = 20_000;

/**
 * Allocates devices for all claims at once, by depth-first search in the order of claims, requests
 * and devices. The result is not recorded as in use.
 *
 * @see kubernetes, dynamic-resource-allocation/structured
 */
export function allocateDevices(
  requested: readonly ResolvedDeviceClaim[],
  supply: DeviceSupply,
  inUse: UsedAmounts,
): AllocationResult {
  const slots = requested.flatMap(({ claim: name, deviceRequest }, claim) => {
    const constraints = createConstraintTracker(deviceRequest.constraints);
    return deviceRequest.requests.map((request): RequestSlot => ({ claim, name, request, constraints }));
  });
  const search: AllocationSearch = {
    supply,
    inUse,
    slots,
    addedAmounts: new Map(),
    allocations: [],
    steps: 0,
  };
  if (fillSlot(search, 0)) {
    const { allocations, steps } = search;
    return { outcome: 'allocated', allocations, steps };
  }
  const { claim = '', request = '', wanted = '', found = '' } = search.shortage ?? {};
  const foundText = search.failure ?? (search.steps > MAX_STEPS ? 'too many ways to look at' : found);
  const shortage = { claim, request, wanted, found: foundText };
  return { outcome: 'refused', shortage, steps: search.steps };
}

/** One request of a claim. */
interface RequestSlot {
  readonly claim: number;
  readonly name: string;
  readonly request: DeviceRequest;
  readonly constraints: ConstraintTracker;
}

interface AllocationSearch {
  readonly supply: DeviceSupply;
  readonly inUse: UsedAmounts;
  readonly slots: readonly RequestSlot[];
  readonly addedAmounts: Map<string, number>;
  readonly allocations: DeviceAllocation[];
  steps: number;
  /** Set if a selector fails at run time; kube-scheduler then allocates nothing. */
  failure?: string;
  shortage?: DeviceShortage & { readonly depth: number };
}

function fillSlot(search: AllocationSearch, position: number): boolean {
  const slot = search.slots[position];
  if (!slot) return true;
  return slot.request.choices.some((choice) =>
    choice.count === 'all'
      ? allocateAll(search, position, slot, choice)
      : allocateCount(search, position, slot, choice, choice.count, 0),
  );
}

function allocateCount(
  search: AllocationSearch,
  position: number,
  slot: RequestSlot,
  choice: DeviceSelection,
  remaining: number,
  firstDevice: number,
): boolean {
  if (remaining === 0) return fillSlot(search, position + 1);
  const { devices } = search.supply;
  // The order of a request's devices does not matter, so they are only tried in ascending order.
  for (let at = firstDevice; at < devices.length; at++) {
    const supplied = devices[at];
    if (!supplied || isStopped(search)) return false;
    const allocation = tryAllocate(search, slot, choice, supplied);
    if (!allocation) continue;
    const nextDevice = supplied.device.shareable ? at : at + 1;
    if (allocateCount(search, position, slot, choice, remaining - 1, nextDevice)) return true;
    undoAllocation(search, slot, choice, allocation);
  }
  const requested = typeof choice.count === 'number' ? choice.count : 0;
  noteShortage(search, position, slot, choice, `${requested}`, requested - remaining);
  return false;
}

function allocateAll(search: AllocationSearch, position: number, slot: RequestSlot, choice: DeviceSelection): boolean {
  const { devices, isIncomplete } = search.supply;
  const matching = devices.filter((supplied) => matchesChoice(search, choice, supplied));
  if (isIncomplete || matching.length === 0 || isStopped(search)) {
    noteShortage(search, position, slot, choice, 'all', 0);
    return false;
  }
  const all: DeviceAllocation[] = [];
  for (const supplied of matching) {
    const allocation = tryAllocate(search, slot, choice, supplied);
    if (!allocation) break;
    all.push(allocation);
  }
  if (all.length === matching.length && fillSlot(search, position + 1)) return true;
  noteShortage(search, position, slot, choice, `all ${matching.length}`, all.length);
  for (const allocation of all.toReversed()) undoAllocation(search, slot, choice, allocation);
  return false;
}

const isStopped = ({ steps, failure }: AllocationSearch): boolean => steps > MAX_STEPS || failure !== undefined;

function noteShortage(
  search: AllocationSearch,
  position: number,
  { name, request }: RequestSlot,
  { deviceClass }: DeviceSelection,
  requested: string,
  result: number,
): void {
  const depth = position * MAX_DEVICES + result;
  if (search.shortage && search.shortage.depth >= depth) return;
  search.shortage = {
    depth,
    claim: name,
    request: request.name,
    wanted: `${requested} of DeviceClass ${deviceClass}`,
    found: `${result}`,
  };
}

/** Allocates the device to the request if it is available; it then counts as in use. */
function tryAllocate(
  search: AllocationSearch,
  { claim, constraints }: RequestSlot,
  choice: DeviceSelection,
  supplied: SuppliedDevice,
): DeviceAllocation | undefined {
  search.steps += 1;
  if (search.allocations.filter((one) => one.claim === claim).length >= MAX_DEVICES) return undefined;
  if (!matchesChoice(search, choice, supplied)) return undefined;
  const amounts = choice.adminAccess ? [] : computeAmounts(search, choice, supplied);
  if (!amounts || !constraints.admits(choice.name, supplied)) return undefined;
  const allocation = { supplied, claim, amounts };
  search.allocations.push(allocation);
  for (const [key, amount] of amounts) addAmount(search.addedAmounts, key, amount);
  return allocation;
}

function undoAllocation(
  { addedAmounts, allocations }: AllocationSearch,
  slot: RequestSlot,
  choice: DeviceSelection,
  allocation: DeviceAllocation,
): void {
  allocations.pop();
  slot.constraints.forget(choice.name);
  for (const [key, amount] of allocation.amounts) addAmount(addedAmounts, key, -amount);
}

const addAmount = (amounts: Map<string, number>, key: string, amount: number): void => {
  amounts.set(key, (amounts.get(key) ?? 0) + amount);
};

function matchesChoice(
  search: AllocationSearch,
  { selectors, tolerations }: DeviceSelection,
  supplied: SuppliedDevice,
): boolean {
  for (const selector of selectors) {
    const match = evaluateSelector(selector, supplied.knownDevice, supplied.driver);
    if (match === 'differs') return false;
    if (match === 'matches') continue;
    search.failure ??= match.fails;
    return false;
  }
  return isTolerated(supplied.device, tolerations);
}

/** Computes the amounts that the device would use; undefined if they exceed what is free. */
function computeAmounts(
  { inUse, addedAmounts, supply }: AllocationSearch,
  { capacity }: DeviceSelection,
  { id, driver, pool, device }: SuppliedDevice,
): DeviceAllocation['amounts'] | undefined {
  const getUsed = (key: string): number => inUse(key) + (addedAmounts.get(key) ?? 0);
  const users = getUsed(id);
  if (users > 0 && !device.shareable) return undefined;
  const consumed = computeConsumedCapacity(device, capacity, driver);
  if (!consumed) return undefined;

  const shares = device.shareable ? [...consumed] : [];
  const isFull = shares.some(
    ([name, amount]) => getUsed(toCapacityKey(id, name)) + amount > (ownValue(device.capacity, name)?.value ?? 0),
  );
  const parts = shares.map(([name, amount]) => [toCapacityKey(id, name), amount] as const);
  // The first claim on a shared device takes its counters; later claims use them too.
  const counters = users > 0 ? [] : listCounterUses(pool, device.uses);
  const isOverCounter = counters.some(([key, amount]) => getUsed(key) + amount > (supply.counters.get(key) ?? 0));
  return isFull || isOverCounter ? undefined : [[id, 1], ...parts, ...counters];
}
