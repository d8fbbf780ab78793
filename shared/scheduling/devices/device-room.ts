import { getOrCreate } from '../../model/memo.ts';
import type { ResolvedDeviceClaim } from '../../model/pods/devices.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import { type Bitset, createBitset, union } from '../data-structures/bitset.ts';
import { countFits, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import { memoizePerRunningPods, type Problem } from '../input/problem.ts';
import type { Opening } from '../instance-types/narrowing.ts';
import { toDeviceHost, toNewNodeDeviceHost } from './device-hosts.ts';
import { createDeviceTracker, type DeviceTracker, type PlacementProblem } from './device-tracker.ts';
import { computeAmountsInUse, findHeldClaims } from './held-device-claims.ts';

/**
 * Creates the device tracker of a batch.
 *
 * @param resolved - the batch with resolved device claims
 * @returns undefined if no pod of the batch claims devices
 */
export function createBatchDeviceTracker(
  problem: PlacementProblem,
  resolved: readonly { readonly spec: PodSpec }[],
  batch: readonly Pod[],
): DeviceTracker | undefined {
  const { devices, pods } = problem.snapshot;
  if (!devices || !resolved.some(({ spec }) => spec.resolved?.devices)) return undefined;
  const inUse = computeAmountsInUse(devices, findHeldClaims(devices, pods, batch));
  return createDeviceTracker(inUse, problem.work);
}

/** Counts how many of `maxPods` pods find their devices on an existing node or claim. */
export function countPodsWithDevices(
  { resolved }: PodSpec,
  existingNode: ExistingNode,
  free: Vector,
  maxPods: number,
  problem: PlacementProblem,
): number {
  const requested = resolved?.devices;
  if (!requested) return maxPods;
  if (!problem.devices || !canFitSharedClaimPods(resolved, free, problem)) return 0;
  const podCounts = problem.devices.countPodsThatFit(toDeviceHost(existingNode, problem), requested, maxPods);
  return Math.min(maxPods, ...podCounts);
}

/** Pods that share a device claim must share the node: unless all of them fit, none is placed. */
function canFitSharedClaimPods(
  { together, devices }: NonNullable<PodSpec['resolved']>,
  free: Vector,
  { columns, devices: tracker }: PlacementProblem,
): boolean {
  if (!together || !tracker) return true;
  const isUnplaced = devices?.some(({ shared }) => shared !== undefined && !tracker.isSharedClaimPlaced(shared));
  return !isUnplaced || countFits(toVector(columns, together), free) > 0;
}

export function allocateDevicesOnNode(
  { resolved }: PodSpec,
  existingNode: ExistingNode,
  pods: number,
  problem: PlacementProblem,
): void {
  if (resolved?.devices) problem.devices?.allocateForPods(toDeviceHost(existingNode, problem), resolved.devices, pods);
}

/** Keeps only the instance types that have the requested devices on an empty node. */
export function withTypesHavingDevices<Narrowed extends Opening>(
  { resolved }: PodSpec,
  opening: Narrowed,
  problem: PlacementProblem,
): Narrowed {
  const requested = resolved?.devices;
  if (!requested) return opening;
  const host = toNewNodeDeviceHost(opening, opening, problem);
  const podCounts = createDeviceTracker(NOTHING_IN_USE, problem.work).countPodsThatFit(host, requested, 1);
  return {
    ...opening,
    types: unionTypesOfVariants(host.typesOfVariant, (variant) => podCounts[variant] === 1, problem),
  };
}

const NOTHING_IN_USE: ReadonlyMap<string, number> = new Map();

/**
 * Keyed by the requested devices, then by the labels of the node, which decide the devices that it
 * reaches.
 */
const roomCaches = memoizePerRunningPods(
  () => new Map<readonly ResolvedDeviceClaim[], Map<Requirements, Map<string, number>>>(),
);

/** Higher counts need not be distinguished: the price per pod hardly changes beyond this. */
const MAX_PODS_ON_EMPTY_NODE = 64;

/**
 * Counts the pods whose devices an empty node of the type provides; Infinity if they request none.
 */
export function countPodsOnEmptyNode(
  { resolved }: PodSpec,
  opening: Opening,
  type: number,
  problem: PlacementProblem,
): number {
  const requested = resolved?.devices;
  if (!requested) return Infinity;
  const cache = getRoomCache(requested, opening, problem);
  const { template, where } = opening;
  const key = `${template.pool.name} ${type} ${where.zones} ${where.capacityTypes}`;
  return getOrCreate(cache, key, () => {
    const singleType = { ...opening, types: createBitset([type], problem.typeIndex.types.length) };
    const host = toNewNodeDeviceHost(opening, singleType, problem);
    const [room = 0] = createDeviceTracker(NOTHING_IN_USE, problem.work).countPodsThatFit(
      host,
      requested,
      MAX_PODS_ON_EMPTY_NODE,
    );
    return room;
  });
}

function getRoomCache(
  requested: readonly ResolvedDeviceClaim[],
  { custom }: Opening,
  problem: PlacementProblem,
): Map<string, number> {
  const byRequest = roomCaches(problem);
  const byLabels = byRequest.get(requested) ?? new Map<Requirements, Map<string, number>>();
  const cache = byLabels.get(custom) ?? new Map<string, number>();
  byRequest.set(requested, byLabels.set(custom, cache));
  return cache;
}

/**
 * Lists the types of a new node with the number of pods, up to `maxPods`, that find their devices
 * on them.
 */
export function listDeviceRoomOnNewNode(
  { resolved }: PodSpec,
  tracker: DeviceTracker | undefined,
  node: object,
  opening: Opening,
  maxPods: number,
  problem: PlacementProblem,
): readonly { readonly types: Bitset; readonly room: number }[] | undefined {
  const requested = resolved?.devices;
  if (!requested) return undefined;
  const host = toNewNodeDeviceHost(node, opening, problem);
  const podCounts = tracker?.countPodsThatFit(host, requested, maxPods) ?? [];
  return host.typesOfVariant.map((types, variant) => ({ types, room: podCounts[variant] ?? 0 }));
}

/** A new node after devices were allocated on it. */
export interface NewNodeDevices {
  /** Types of the node that have these devices. */
  readonly types: Bitset;
  readonly drivers: Iterable<string>;
}

/** Allocates devices of a new node to these pods; undefined if they claim none. */
export function allocateDevicesOnNewNode(
  { resolved }: PodSpec,
  tracker: DeviceTracker | undefined,
  node: Opening,
  pods: number,
  problem: PlacementProblem,
): NewNodeDevices | undefined {
  const requested = resolved?.devices;
  if (!requested || !tracker) return undefined;
  const host = toNewNodeDeviceHost(node, node, problem);
  const { keptVariants, drivers } = tracker.allocateForPods(host, requested, pods);
  const types = unionTypesOfVariants(host.typesOfVariant, (variant) => keptVariants[variant] === true, problem);
  return { types, drivers };
}

const unionTypesOfVariants = (
  typesOfVariant: readonly Bitset[],
  isKept: (variant: number) => boolean,
  { typeIndex }: Problem,
): Bitset => typesOfVariant.filter((_, variant) => isKept(variant)).reduce(union, typeIndex.none);
