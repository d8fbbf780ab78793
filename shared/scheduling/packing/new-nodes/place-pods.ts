import { findConflict, intersectRequirements, type Requirements } from '../../../model/requirements/requirements.ts';
import { findTypesHolding, type PodGroup, type PoolOption, takePods } from '../../assignment/pod-groups.ts';
import { type Bitset, hasBit, intersection, nextBit, union } from '../../data-structures/bitset.ts';
import { addTimes, at, sum, type Vector } from '../../data-structures/resource-vectors.ts';
import { allocateDevicesOnNewNode, listDeviceRoomOnNewNode } from '../../devices/device-room.ts';
import { listTypesWithinAllowance } from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import type { OfferingScope } from '../../instance-types/offering-index.ts';
import { computeHostRoom, findPortConflict, hasPodsAnywhere } from '../../topology/host-rules.ts';
import { addDevices, addPodsToNode, type NewNode } from './new-node.ts';
import { type PackingState, recordHostAffinities } from './packing-state.ts';
import { chargeLimits } from './resolve-limits.ts';

/**
 * Places as many of `maxPods` pods on the node as fit.
 *
 * @returns the number of placed pods
 */
export function placePods(state: PackingState, newNode: NewNode, podGroup: PodGroup, maxPods = podGroup.count): number {
  const fit = findFit(state, newNode, podGroup, maxPods);
  if (!fit) return 0;
  const pods = countPodsWithMinValues(state, newNode, podGroup, fit);
  if (pods > 0) addPods(state, newNode, podGroup, pods, fit);
  return pods;
}

/** The number of pods that fit on a new node, and what the node may still be with them. */
interface NodeFit {
  readonly room: number;
  readonly types: Bitset;
  readonly where: OfferingScope;
  readonly custom: Requirements;
}

/** Most nodes are refused by their free room; the others are compared by their types. */
const OPERATIONS_PER_FIT = 10;

/** Finds how many of `maxPods` pods fit on the node; undefined if none does. */
export function findFit(
  state: PackingState,
  newNode: NewNode,
  podGroup: PodGroup,
  maxPods: number,
): NodeFit | undefined {
  const { problem, allowances } = state;
  problem.work.spend(OPERATIONS_PER_FIT);
  if (isTooLarge(podGroup.request, newNode.freeUpperBound)) return undefined;
  const host = Math.min(maxPods, countHostRoom(state, newNode, podGroup), countPortRoom(state, newNode, podGroup));
  if (host === 0) return undefined;
  const option = podGroup.options.find(({ template }) => template === newNode.template);
  const shared = option && intersectWith(newNode, option);
  if (!shared) return undefined;
  const allowance = allowances.get(newNode.template.pool.name);
  const allowed = allowance
    ? listTypesWithinAllowance(shared.types, allowance, newNode.charged, problem)
    : shared.types;
  const { where, custom } = shared;
  const types = intersection(allowed, problem.offerings.offered(where));
  const fit = fitOnTypes(state, newNode, podGroup, { types, where, custom }, host);
  return fit.room > 0 ? fit : undefined;
}

/** Finds the most pods that any of the types holds, with their devices if they claim any. */
function fitOnTypes(
  { problem, devices }: PackingState,
  newNode: NewNode,
  podGroup: PodGroup,
  shared: Omit<NodeFit, 'room'>,
  maxPods: number,
): NodeFit {
  const { types: all, where, custom } = shared;
  const scope = { types: all, where, custom, template: newNode.template };
  const rooms = listDeviceRoomOnNewNode(podGroup.cls.spec, devices, newNode, scope, maxPods, problem);
  if (!rooms) {
    return {
      types: all,
      where,
      custom,
      room: countPodsOnBestType(newNode, podGroup, all, maxPods, problem),
    };
  }
  const held = rooms
    .filter(({ room }) => room > 0)
    .map(({ types, room }) => ({
      types,
      pods: countPodsOnBestType(newNode, podGroup, types, room, problem),
    }))
    .filter(({ pods }) => pods > 0);
  const types = held.reduce((all, one) => union(all, one.types), problem.typeIndex.none);
  return { ...shared, types, room: Math.max(0, ...held.map(({ pods }) => pods)) };
}

const isTooLarge = (request: Vector, slack: Vector): boolean => {
  for (let column = 0; column < request.length; column++) {
    if (at(request, column) > at(slack, column)) return true;
  }
  return false;
};

/** The remaining choices of the node if pods with `option` join it; undefined if they cannot. */
export function intersectWith(newNode: NewNode, option: PoolOption): Omit<NodeFit, 'room'> | undefined {
  const where = {
    zones: newNode.where.zones & option.where.zones,
    capacityTypes: newNode.where.capacityTypes & option.where.capacityTypes,
  };
  if (where.zones === 0 || where.capacityTypes === 0) return undefined;
  let { custom } = newNode;
  if (option.custom !== newNode.custom) {
    // All custom keys of a template are defined by it, so only values can conflict.
    if (findConflict(newNode.custom, option.custom, new Set(option.custom.keys()))) return undefined;
    custom = intersectRequirements(newNode.custom, option.custom);
  }
  const types = option.types === newNode.types ? newNode.types : intersection(newNode.types, option.types);
  return { types, where, custom };
}

function countHostRoom({ placedAffinities }: PackingState, newNode: NewNode, { topology }: PodGroup): number {
  if (topology.owned.length === 0 && topology.barredBy.length === 0) return Infinity;
  return computeHostRoom(topology, {
    count: (group) => newNode.topologyCounts.get(group) ?? 0,
    owners: (group) => newNode.antiAffinityOwners.get(group) ?? 0,
    hasPods: (group) => placedAffinities.has(group) || hasPodsAnywhere(group),
  });
}

function countPortRoom({ problem }: PackingState, { hostPorts }: NewNode, { cls: { spec } }: PodGroup): number {
  if (spec.hostPorts.length === 0) return Infinity;
  problem.work.spend(hostPorts.length);
  return findPortConflict(spec.hostPorts, hostPorts) ? 0 : 1;
}

/**
 * The most pods of the group, up to `enough`, that fit beside the node's pods on one of `types`.
 */
function countPodsOnBestType(
  newNode: NewNode,
  podGroup: PodGroup,
  types: Bitset,
  enough: number,
  { typeIndex }: Problem,
): number {
  let maxPods = 0;
  for (const group of newNode.template.daemons) {
    if (findPortConflict(podGroup.cls.spec.hostPorts, group.hostPorts)) continue;
    const taken = sum(newNode.used, group.overhead);
    for (let type = nextBit(types, 0); type >= 0; type = nextBit(types, type + 1)) {
      if (!hasBit(group.types, type)) continue;
      const allocatable = typeIndex.allocatable[type] ?? EMPTY;
      maxPods = Math.max(maxPods, countPodsBeside(taken, podGroup, allocatable, maxPods, enough));
      if (maxPods === enough) return maxPods;
    }
  }
  return maxPods;
}

/** The pods of the group, up to `enough`, that fit beside `taken`; 0 if they are not more than `exceeded`. */
function countPodsBeside(
  taken: Vector,
  { request, requestedColumns }: PodGroup,
  allocatable: Vector,
  exceeded: number,
  enough: number,
): number {
  let pods = enough;
  for (const column of requestedColumns) {
    const free = at(allocatable, column) - at(taken, column);
    pods = Math.min(pods, Math.floor(free / at(request, column)));
    if (pods <= exceeded) return 0;
  }
  return pods;
}

const EMPTY: Vector = new Float64Array();

/**
 * Places `pods` of the group on the node; `fit` must come from `findFit` with at least that room.
 */
export function addPods(
  state: PackingState,
  newNode: NewNode,
  podGroup: PodGroup,
  pods: number,
  fit: Omit<NodeFit, 'room'>,
): void {
  const { problem, allowances, devices } = state;
  addPodsToNode(newNode, podGroup, pods, fit, problem);
  const { spec } = podGroup.cls;
  const allocated = allocateDevicesOnNewNode(spec, devices, newNode, pods, problem);
  if (allocated) addDevices(newNode, allocated);
  recordHostAffinities(state, podGroup);
  takePods(podGroup, pods);

  const allowance = allowances.get(newNode.template.pool.name);
  if (allowance) chargeLimits(newNode, allowance, problem);
}

/** The most pods, up to `room`, with which the pool's minValues still hold. */
export function countPodsWithMinValues(
  state: PackingState,
  newNode: NewNode,
  podGroup: PodGroup,
  { types, room }: NodeFit,
): number {
  const { problem } = state;
  if (newNode.minValues.length === 0) return room;
  const holds = (pods: number) => {
    const used = newNode.used.slice();
    addTimes(used, podGroup.request, pods);
    const remainingTypes = intersection(
      types,
      findTypesHolding(newNode.template.daemons, used, problem, podGroup.cls.spec),
    );
    return findUnmetMinValues(newNode.template, remainingTypes, problem, newNode.minValues) === undefined;
  };
  let [low, high] = [0, room];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
