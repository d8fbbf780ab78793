import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { HostPort } from '../../../model/pods/pod.ts';
import type { Requirements } from '../../../model/requirements/requirements.ts';
import { findTypesHolding, isSamePodGroup, type PodGroup } from '../../assignment/pod-groups.ts';
import { type Bitset, hasBit, intersection } from '../../data-structures/bitset.ts';
import { addTimes, at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { NewNodeDevices } from '../../devices/device-room.ts';
import type { Problem } from '../../input/problem.ts';
import type { Narrowed, Opening } from '../../instance-types/narrowing.ts';
import type { MinValues, NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import type { OfferingScope } from '../../instance-types/offering-index.ts';
import type { TopologyGroup } from '../../topology/topology.ts';
import { addCount } from '../../topology/topology-rules.ts';

/**
 * A node that the plan would launch (Karpenter: an in-flight NodeClaim): the pods on it, and the
 * instance types, zones and capacity types that are still possible. Changed only by the functions
 * of this file.
 */
export interface NewNode {
  readonly template: NodeClaimTemplate;
  readonly types: Bitset;
  readonly where: OfferingScope;
  readonly custom: Requirements;
  /** Number of values of each key that the types must still offer. */
  readonly minValues: readonly MinValues[];
  /** Requests of its pods. */
  readonly used: Vector;
  /** Room kept beside `used`, for pods that kube-scheduler may bind here instead. */
  readonly spareRoom: Vector;
  readonly podCounts: Map<PodGroup, number>;
  readonly hostPorts: HostPort[];
  /** DRA drivers whose devices the node is launched for. */
  readonly drivers: Set<string>;
  /** Pods on the node that each rule on the hostname counts. */
  readonly topologyCounts: Map<TopologyGroup, number>;
  /** Pods on the node that carry each anti-affinity rule on the hostname. */
  readonly antiAffinityOwners: Map<TopologyGroup, number>;
  /** An upper bound, by resource, of what any of its types has left: a quick rejection of large pods. */
  readonly freeUpperBound: Vector;
  /** The node's share of its pool's limits: the capacity of its cheapest type. */
  readonly charged: Vector;
  /** True if pods are to prefer the other nodes, so that its room stays free for those that need it. */
  readonly fillsLast: boolean;
  /** True if copies of the node have the same pods, room and charge, which are then copied before a change. */
  readonly isShared: boolean;
}

/** The same object inside this file, where it may be written. */
interface MutableNewNode extends NewNode {
  types: Bitset;
  where: OfferingScope;
  custom: Requirements;
  minValues: readonly MinValues[];
  used: Vector;
  spareRoom: Vector;
  podCounts: Map<PodGroup, number>;
  hostPorts: HostPort[];
  topologyCounts: Map<TopologyGroup, number>;
  antiAffinityOwners: Map<TopologyGroup, number>;
  charged: Vector;
  isShared: boolean;
}

export const createNewNode = (
  { template, types, where, custom }: Opening,
  { columns, typeIndex }: Problem,
): NewNode => ({
  template,
  types,
  where,
  custom,
  minValues: template.minValues,
  used: new Float64Array(columns.names.length),
  spareRoom: new Float64Array(columns.names.length),
  podCounts: new Map(),
  hostPorts: [],
  drivers: new Set(),
  topologyCounts: new Map(),
  antiAffinityOwners: new Map(),
  freeUpperBound: typeIndex.findLargestAllocatable(template.types).slice(),
  charged: new Float64Array(columns.names.length),
  fillsLast: false,
  isShared: false,
});

/**
 * A copy whose pods, room and charge can change without changing the original. They are copied when one of both
 * changes: most moves of a search change one or two of many nodes.
 */
export function copyNewNode(newNode: MutableNewNode): NewNode {
  newNode.isShared = true;
  return { ...newNode };
}

/** Copies what other copies of the node have, too. Everything that changes pods, room or charge begins with it. */
function ownContents(newNode: MutableNewNode): void {
  if (!newNode.isShared) return;
  newNode.used = newNode.used.slice();
  newNode.spareRoom = newNode.spareRoom.slice();
  newNode.podCounts = new Map(newNode.podCounts);
  newNode.hostPorts = [...newNode.hostPorts];
  newNode.topologyCounts = new Map(newNode.topologyCounts);
  newNode.antiAffinityOwners = new Map(newNode.antiAffinityOwners);
  newNode.charged = newNode.charged.slice();
  newNode.isShared = false;
}

export function replaceTypes(newNode: MutableNewNode, types: Bitset): void {
  newNode.types = types;
}

export function replaceMinValues(newNode: MutableNewNode, minValues: readonly MinValues[]): void {
  newNode.minValues = minValues;
}

/** Sets the types together with the room that they keep beside the pods. */
export function resizeNode(newNode: MutableNewNode, types: Bitset, spareRoom: Vector): void {
  newNode.types = types;
  newNode.spareRoom = spareRoom;
}

export function replaceCharge(newNode: MutableNewNode, charged: Vector): void {
  newNode.charged = charged;
}

/** Overwrites the charge in place. */
export function recordCharge(newNode: NewNode, capacity: Vector): void {
  ownContents(newNode);
  const { charged } = newNode;
  for (let column = 0; column < charged.length; column++) charged[column] = at(capacity, column);
}

export function narrowNode(newNode: MutableNewNode, { types, where, custom }: Narrowed): void {
  newNode.types = types;
  newNode.where = where;
  newNode.custom = custom;
}

/** Adds pods to the contents alone: types, ports and rules stay as they are. */
export function addContents(newNode: NewNode, podGroup: PodGroup, pods: number): void {
  ownContents(newNode);
  const { used, podCounts } = newNode;
  addTimes(used, podGroup.request, pods);
  podCounts.set(podGroup, (podCounts.get(podGroup) ?? 0) + pods);
}

/** Puts pods on the node and keeps only the types, zones and rules under which they fit. */
export function addPodsToNode(
  newNode: NewNode,
  podGroup: PodGroup,
  pods: number,
  { types, where, custom }: Narrowed,
  problem: Problem,
): void {
  const { cls, request, topology } = podGroup;
  addContents(newNode, podGroup, pods);
  const holding = findTypesHolding(newNode.template.daemons, newNode.used, problem, cls.spec);
  narrowNode(newNode, { types: intersection(types, holding), where, custom });
  newNode.hostPorts.push(...cls.spec.hostPorts);
  // Types are only ever removed, so this stays an upper bound.
  addTimes(newNode.freeUpperBound, request, -pods);
  for (const group of topology.countedBy) {
    if (group.key === HOSTNAME_LABEL) addCount(newNode.topologyCounts, group, pods);
  }
  for (const { group } of topology.owned) {
    if (group.key === HOSTNAME_LABEL && group.kind === 'anti-affinity') {
      addCount(newNode.antiAffinityOwners, group, pods);
    }
  }
}

/** Keeps only the types that have the devices allocated to the node's pods. */
export function addDevices(newNode: MutableNewNode, { types, drivers }: NewNodeDevices): void {
  newNode.types = types;
  for (const driver of drivers) newNode.drivers.add(driver);
}

/** Removes pods. Rules on the hostname still count them, so nothing new becomes allowed. */
export function removePods(newNode: NewNode, podGroup: PodGroup, pods: number): void {
  ownContents(newNode);
  const { podCounts, used } = newNode;
  const remaining = (podCounts.get(podGroup) ?? 0) - pods;
  if (remaining > 0) podCounts.set(podGroup, remaining);
  else podCounts.delete(podGroup);
  addTimes(used, podGroup.request, -pods);
}

/**
 * Turns up to `maxPods` pods of a group into spare room; no node is emptied.
 *
 * @returns how many pods were removed
 */
export function convertToSpareRoom(newNodes: readonly NewNode[], target: PodGroup, maxPods: number): number {
  let removed = 0;
  if (hasHostAffinity(target)) return removed;
  for (const newNode of newNodes) {
    for (const [podGroup, count] of newNode.podCounts) {
      if (!isSamePodGroup(podGroup, target)) continue;
      const minKept = newNode.podCounts.size > 1 ? 0 : 1;
      const pods = Math.min(maxPods - removed, count - minKept);
      if (pods <= 0) continue;
      removePods(newNode, podGroup, pods);
      addTimes(newNode.spareRoom, podGroup.request, pods);
      removed += pods;
    }
  }
  return removed;
}

/** True if other pods may have to share a node with these pods: then none is moved alone. */
export const hasHostAffinity = ({ topology: { owned, countedBy } }: PodGroup): boolean =>
  [...owned.map(({ group }) => group), ...countedBy].some(
    ({ kind, key }) => kind === 'affinity' && key === HOSTNAME_LABEL,
  );

/** True if each of its pods could have been on a node of a heavier pool, limits aside. */
export const isTooLight = ({ template, podCounts }: NewNode): boolean =>
  [...podCounts.keys()].every(({ options }) =>
    options.some((option) => option.template.pool.weight > template.pool.weight),
  );

/** The type with the lowest price in the zones and capacity types of the node; -1 if there is none. */
export function findCheapestType(
  { types, where }: Pick<NewNode, 'types' | 'where'>,
  { offerings }: Problem,
): { readonly type: number; readonly hourlyUsd: number } {
  const type = offerings.byPrice(where).find((one) => hasBit(types, one));
  return type === undefined
    ? { type: -1, hourlyUsd: Infinity }
    : { type, hourlyUsd: offerings.cheapestUsd(type, where) };
}
