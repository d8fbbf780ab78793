import { getOrCreate } from '../../model/memo.ts';
import type { ResolvedDeviceClaim } from '../../model/pods/devices.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import type { WorkMeter } from '../data-structures/work-meter.ts';
import type { Problem } from '../input/problem.ts';
import { allocateDevices, type DeviceAllocation, type DeviceShortage, type DeviceSupply } from './allocate-devices.ts';
import { toNodeTerms } from './device-pools.ts';

/** A problem with the device allocations of the batch that is being placed. */
export interface PlacementProblem extends Problem {
  /** undefined if no pod of the batch claims devices. */
  readonly devices?: DeviceTracker;
}

/** An existing or new node, with every variant of devices that it may have. */
export interface DeviceHost {
  /** Distinguishes this node from others. */
  readonly identity: object;
  readonly variants: readonly DeviceHostVariant[];
  /** True if the node is certain to meet one of the terms. */
  isCertainToMeet(terms: readonly Requirements[]): boolean;
}

/** The devices of one variant of a node. */
export interface DeviceHostVariant {
  /**
   * Devices that are expected to come with the node; equal variants share the object. undefined if
   * there are none or the node's devices are known.
   */
  readonly predicted?: DeviceSupply;
  readonly supply: DeviceSupply;
}

/** Tracks the devices that a plan allocates on existing and new nodes. */
export interface DeviceTracker {
  /** Returns an independent copy. */
  fork(): DeviceTracker;
  /** True if a claim in the cluster uses the device with this id. */
  isInUse(device: string): boolean;
  /** True if the plan has allocated the devices of this shared claim. */
  isSharedClaimPlaced(shared: string): boolean;
  /** Counts for each variant how many of `maxPods` equal pods get their devices. */
  countPodsThatFit(host: DeviceHost, requested: readonly ResolvedDeviceClaim[], maxPods: number): readonly number[];
  /**
   * Allocates the devices of the pods. Variants that would use other devices of the cluster than
   * the first one are dropped, because it is not known which variant the node will be.
   */
  allocateForPods(host: DeviceHost, requested: readonly ResolvedDeviceClaim[], pods: number): DeviceCommitment;
  /**
   * Finds what one pod lacks on a variant; undefined if nothing is missing or its claim is bound to
   * another node.
   */
  findShortage(
    host: DeviceHost,
    variant: DeviceHostVariant,
    requested: readonly ResolvedDeviceClaim[],
  ): DeviceShortage | undefined;
}

export interface DeviceCommitment {
  /** For each variant of the host, whether the node may still be this variant. */
  readonly keptVariants: readonly boolean[];
  /** Drivers of the allocated devices that come with the node. */
  readonly drivers: readonly string[];
}

/** Where the devices of a shared claim are. */
interface SharedClaimLocation {
  readonly host: object;
  /** True if only the host's own node can use them. */
  readonly isLocal: boolean;
  readonly terms: readonly (readonly Requirements[])[];
}

interface DeviceState {
  /** Amounts in use in the cluster. */
  readonly inUse: ReadonlyMap<string, number>;
  /** Amounts that this plan has allocated in the cluster. */
  readonly allocated: Map<string, number>;
  /** Amounts of predicted devices that this plan has allocated, by node and variant. */
  readonly predictedInUse: Map<object, Map<DeviceSupply, ReadonlyMap<string, number>>>;
  readonly shared: Map<string, SharedClaimLocation>;
  readonly spend: WorkMeter['spend'];
}

export const createDeviceTracker = (inUse: ReadonlyMap<string, number>, { spend }: WorkMeter): DeviceTracker =>
  createTracker({
    inUse,
    allocated: new Map(),
    predictedInUse: new Map(),
    shared: new Map(),
    spend,
  });

const createTracker = (state: DeviceState): DeviceTracker => ({
  fork: () => createTracker(copyState(state)),
  isInUse: (device) => (state.inUse.get(device) ?? 0) > 0,
  isSharedClaimPlaced: (shared) => state.shared.has(shared),
  countPodsThatFit: (host, requested, maxPods) =>
    host.variants.map((variant) => computeFit(state, host, variant, requested, maxPods).pods),
  allocateForPods: (host, requested, pods) => allocateForPods(state, host, requested, pods),
  findShortage: (host, variant, requested) => computeFit(state, host, variant, requested, 1).shortage,
});

const copyState = ({ inUse, allocated, predictedInUse, shared, spend }: DeviceState): DeviceState => ({
  inUse,
  spend,
  allocated: new Map(allocated),
  predictedInUse: new Map([...predictedInUse].map(([host, variants]) => [host, new Map(variants)])),
  shared: new Map(shared),
});

/** The pods that get devices on a variant, and their devices. */
interface DeviceFit {
  readonly pods: number;
  readonly allocations: readonly (DeviceAllocation & { readonly requested: ResolvedDeviceClaim })[];
  readonly shortage?: DeviceShortage;
}

function computeFit(
  state: DeviceState,
  host: DeviceHost,
  { predicted, supply }: DeviceHostVariant,
  requested: readonly ResolvedDeviceClaim[],
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
  const isUnallocated = ({ shared }: ResolvedDeviceClaim) => shared === undefined || !state.shared.has(shared);
  let unallocated = requested.filter(isUnallocated);
  for (let pods = 0; pods < maxPods; pods++) {
    // Only claims that are allocated already remain: any number of pods can use them.
    if (unallocated.length === 0) break;
    const result = allocateDevices(unallocated, supply, inUse);
    state.spend(OPERATIONS_PER_STEP * result.steps);
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

/** Each step compares a device with a request, its selectors and constraints. */
const OPERATIONS_PER_STEP = 20;

const NO_FIT: DeviceFit = { pods: 0, allocations: [] };

function isBoundElsewhere(state: DeviceState, host: DeviceHost, shared: string | undefined): boolean {
  const location = shared === undefined ? undefined : state.shared.get(shared);
  if (!location) return false;
  if (location.isLocal) return location.host !== host.identity;
  return !location.terms.every((terms) => terms.length === 0 || host.isCertainToMeet(terms));
}

function addAmounts(amounts: Map<string, number>, allocation: DeviceAllocation): void {
  for (const [key, amount] of allocation.amounts) amounts.set(key, (amounts.get(key) ?? 0) + amount);
}

function allocateForPods(
  state: DeviceState,
  host: DeviceHost,
  requested: readonly ResolvedDeviceClaim[],
  pods: number,
): DeviceCommitment {
  const fits = host.variants.map((variant) => computeFit(state, host, variant, requested, pods));
  const firstFit = fits.find((one) => one.pods === pods);
  if (!firstFit) return { keptVariants: fits.map(() => false), drivers: [] };
  const keptVariants = fits.map((one) => one.pods === pods && toClusterDevices(one) === toClusterDevices(firstFit));
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

function locateSharedClaim(shared: string, { identity }: DeviceHost, { allocations }: DeviceFit): SharedClaimLocation {
  const reachTerms = allocations
    .filter((allocation) => allocation.requested.shared === shared)
    .map(({ supplied }) => toNodeTerms(supplied.reach));
  const terms = reachTerms.filter((one) => one !== undefined);
  return { host: identity, isLocal: terms.length < reachTerms.length, terms };
}

/** Ids of the allocated devices that other nodes could use as well. */
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
  const variants = getOrCreate(predictedInUse, host.identity, () => new Map());
  const amounts = new Map(variants.get(predicted));
  for (const allocation of allocations) if (allocation.supplied.isPredicted) addAmounts(amounts, allocation);
  variants.set(predicted, amounts);
}
