import type { WantedDevices } from '../../model/pods/devices.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import type { Problem } from '../input/problem.ts';
import {
  allocateDevices,
  type DeviceAllocation,
  type DeviceShortage,
  type DeviceSupply,
} from './allocate-devices.ts';
import { toNodeTerms } from './device-pools.ts';

/** A prepared problem while a batch is placed: knows which devices are in use if the batch claims any. */
export interface PlacementProblem extends Problem {
  /** `undefined` if no pod of the batch claims devices. */
  readonly devices?: DeviceTracker;
}

/** Something that is or will be one node. It may turn out as one of several kinds. */
export interface DeviceHost {
  /** What tells it from others. */
  readonly identity: object;
  readonly variants: readonly DeviceHostVariant[];
  /** Whether it is certain to meet one of the terms. */
  isCertainToMeet(terms: readonly Requirements[]): boolean;
}

/** A kind of node that a host may be: the devices that it could use. */
export interface DeviceHostVariant {
  /** Those that come with the node; one object for equal kinds. Absent: none, or it is there. */
  readonly predicted?: DeviceSupply;
  readonly supply: DeviceSupply;
}

/** Which devices a plan has used so far, on what it looks at as nodes. */
export interface DeviceTracker {
  /** A book of its own that begins where this one stands. */
  fork(): DeviceTracker;
  /** Whether some claim has the device, by its id. */
  isInUse(device: string): boolean;
  /** Whether a claim that several pods name has its devices. */
  isSharedClaimPlaced(shared: string): boolean;
  /** How many of `most` equal pods each of the kinds takes. */
  countPodsThatFit(
    host: DeviceHost,
    requested: readonly WantedDevices[],
    maxPods: number,
  ): readonly number[];
  /**
   * Takes the devices of so many pods. Kinds that would take other devices of the cluster than the
   * first are given up, for nobody knows which of them it will be.
   */
  allocateForPods(
    host: DeviceHost,
    requested: readonly WantedDevices[],
    pods: number,
  ): DeviceCommitment;
  /** What one pod lacks on a kind; undefined: nothing, or its claim is bound to another node. */
  findShortage(
    host: DeviceHost,
    variant: DeviceHostVariant,
    requested: readonly WantedDevices[],
  ): DeviceShortage | undefined;
}

export interface DeviceCommitment {
  /** Beside the kinds of the host: whether it may still be that one. */
  readonly keptVariants: readonly boolean[];
  /** Of devices that come with the node. */
  readonly drivers: readonly string[];
}

/** Where a claim that several pods name has its devices. */
interface SharedClaimLocation {
  readonly host: object;
  /** Only its node can use them. */
  readonly isLocal: boolean;
  readonly terms: readonly (readonly Requirements[])[];
}

interface DeviceState {
  /** In the cluster, by the keys of an allocation. */
  readonly inUse: ReadonlyMap<string, number>;
  /** The same, by this plan. */
  readonly allocated: Map<string, number>;
  /** Of devices to come, by host and kind. */
  readonly predictedInUse: Map<object, Map<DeviceSupply, ReadonlyMap<string, number>>>;
  readonly shared: Map<string, SharedClaimLocation>;
}

export const createDeviceTracker = (inUse: ReadonlyMap<string, number>): DeviceTracker =>
  createTracker({ inUse, allocated: new Map(), predictedInUse: new Map(), shared: new Map() });

const createTracker = (state: DeviceState): DeviceTracker => ({
  fork: () => createTracker(copyState(state)),
  isInUse: (device) => (state.inUse.get(device) ?? 0) > 0,
  isSharedClaimPlaced: (shared) => state.shared.has(shared),
  countPodsThatFit: (host, requested, maxPods) =>
    host.variants.map((variant) => computeFit(state, host, variant, requested, maxPods).pods),
  allocateForPods: (host, requested, pods) => allocateForPods(state, host, requested, pods),
  findShortage: (host, variant, requested) =>
    computeFit(state, host, variant, requested, 1).shortage,
});

const copyState = ({ inUse, allocated, predictedInUse, shared }: DeviceState): DeviceState => ({
  inUse,
  allocated: new Map(allocated),
  predictedInUse: new Map([...predictedInUse].map(([host, variants]) => [host, new Map(variants)])),
  shared: new Map(shared),
});

/** How many pods found devices on a kind, and which. */
interface DeviceFit {
  readonly pods: number;
  readonly allocations: readonly (DeviceAllocation & { readonly requested: WantedDevices })[];
  readonly shortage?: DeviceShortage;
}

function computeFit(
  state: DeviceState,
  host: DeviceHost,
  { predicted, supply }: DeviceHostVariant,
  requested: readonly WantedDevices[],
  maxPods: number,
): DeviceFit {
  if (requested.some(({ shared }) => isBoundElsewhere(state, host, shared))) return NO_FIT;
  const predictedAmounts = predicted && state.predictedInUse.get(host.identity)?.get(predicted);
  const added = new Map<string, number>();
  const inUse = (key: string): number =>
    (added.get(key) ?? 0) +
    (predictedAmounts?.get(key) ?? 0) +
    (state.allocated.get(key) ?? 0) +
    (state.inUse.get(key) ?? 0);
  const allocations: DeviceFit['allocations'][number][] = [];
  const isUnallocated = ({ shared }: WantedDevices) =>
    shared === undefined || !state.shared.has(shared);
  let unallocated = requested.filter(isUnallocated);
  for (let pods = 0; pods < maxPods; pods++) {
    // All that is left is claims that have their devices: as many pods as like can use them.
    if (unallocated.length === 0) break;
    const result = allocateDevices(unallocated, supply, inUse);
    if (result.outcome === 'refused') {
      return { pods, allocations, shortage: result.shortage };
    }
    for (const allocation of result.allocations) {
      const claim = unallocated[allocation.claim];
      if (claim) allocations.push({ ...allocation, requested: claim });
      addAmounts(added, allocation);
    }
    unallocated = unallocated.filter(({ shared }) => shared === undefined);
  }
  return { pods: maxPods, allocations };
}

const NO_FIT: DeviceFit = { pods: 0, allocations: [] };

function isBoundElsewhere(
  state: DeviceState,
  host: DeviceHost,
  shared: string | undefined,
): boolean {
  const location = shared === undefined ? undefined : state.shared.get(shared);
  if (!location) return false;
  if (location.isLocal) return location.host !== host.identity;
  return !location.terms.every((terms) => terms.length === 0 || host.isCertainToMeet(terms));
}

function addAmounts(amounts: Map<string, number>, allocation: DeviceAllocation): void {
  for (const [key, amount] of allocation.amounts)
    amounts.set(key, (amounts.get(key) ?? 0) + amount);
}

function allocateForPods(
  state: DeviceState,
  host: DeviceHost,
  requested: readonly WantedDevices[],
  pods: number,
): DeviceCommitment {
  const fits = host.variants.map((variant) => computeFit(state, host, variant, requested, pods));
  const firstFit = fits.find((one) => one.pods === pods);
  if (!firstFit) return { keptVariants: fits.map(() => false), drivers: [] };
  const keptVariants = fits.map(
    (one) => one.pods === pods && toClusterDevices(one) === toClusterDevices(firstFit),
  );
  for (const allocation of firstFit.allocations)
    if (!allocation.supplied.isPredicted) addAmounts(state.allocated, allocation);
  for (const [at, { allocations }] of fits.entries()) {
    const predicted = host.variants[at]?.predicted;
    if (keptVariants[at] && predicted) recordPredicted(state, host, predicted, allocations);
  }
  for (const { shared } of requested) {
    if (shared === undefined || state.shared.has(shared)) continue;
    state.shared.set(shared, locateSharedClaim(shared, host, firstFit));
  }
  const predictedInUse = firstFit.allocations.filter(({ supplied }) => supplied.isPredicted);
  return { keptVariants, drivers: predictedInUse.map(({ supplied }) => supplied.driver) };
}

function locateSharedClaim(
  shared: string,
  { identity }: DeviceHost,
  { allocations }: DeviceFit,
): SharedClaimLocation {
  const reachTerms = allocations
    .filter((allocation) => allocation.requested.shared === shared)
    .map(({ supplied }) => toNodeTerms(supplied.reach));
  const terms = reachTerms.filter((one) => one !== undefined);
  return { host: identity, isLocal: terms.length < reachTerms.length, terms };
}

/** The devices that others could use as well, as text. */
const toClusterDevices = ({ allocations }: DeviceFit): string =>
  allocations
    .filter(({ supplied }) => !supplied.isPredicted)
    .map(({ supplied }) => supplied.id)
    .join();

function recordPredicted(
  { predictedInUse }: DeviceState,
  host: DeviceHost,
  predicted: DeviceSupply,
  allocations: readonly DeviceAllocation[],
): void {
  const variants =
    predictedInUse.get(host.identity) ?? new Map<DeviceSupply, ReadonlyMap<string, number>>();
  predictedInUse.set(host.identity, variants);
  const amounts = new Map(variants.get(predicted));
  for (const allocation of allocations)
    if (allocation.supplied.isPredicted) addAmounts(amounts, allocation);
  variants.set(predicted, amounts);
}
