import type { Labels } from '../../../model/labels.ts';
import { ownValue } from '../../../model/own-value.ts';
import { findTypesHolding, isSamePodGroup, type PodGroup } from '../../assignment/pod-groups.ts';
import { isEmptyBitset, without } from '../../data-structures/bitset.ts';
import type { NodeCosts } from '../../input/node-costs.ts';
import type { Problem } from '../../input/problem.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import {
  convertToSpareRoom,
  hasHostAffinity,
  isTooLight,
  type NewNode,
  removePods,
  replaceTypes,
} from '../../packing/new-nodes/new-node.ts';
import { copyPackingState, discardNewNode, type PackingState } from '../../packing/new-nodes/packing-state.ts';
import { resolveLimits } from '../../packing/new-nodes/resolve-limits.ts';
import type { Packing } from '../../packing/packing.ts';
import { withPackingState } from '../../packing/packing.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { EvaluatedPacking } from '../evaluation/evaluate-packing.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';
import { findTypesFor } from './resize-nodes.ts';

/**
 * Gives displaced pods new nodes of their own. Their old room stays free for the pods that
 * displaced them.
 *
 * @param share - share of the pods that move, at most 1: often some are enough for all to fit
 * @param nodeCosts - assumed costs of the new nodes; by default the real ones
 */
export function withOwnNodes(
  evaluated: EvaluatedPacking,
  displaced: readonly DisplacedPods[],
  podGroups: readonly PodGroup[],
  share = 1,
  nodeCosts?: NodeCosts,
): Packing | undefined {
  const packingState = copyPackingState(evaluated.packing.packingState);
  const podsToMove = new Map<PodGroup, number>();
  for (const one of displaced) {
    const podGroup = findPodGroup(one, evaluated, podGroups);
    if (podGroup) podsToMove.set(podGroup, (podsToMove.get(podGroup) ?? 0) + one.pods);
  }
  const movingGroups = [...podsToMove].flatMap(([podGroup, pods]): PodGroup[] => {
    const count = convertToSpareRoom(packingState.newNodes, podGroup, Math.ceil(pods * share));
    return count > 0 ? [{ ...podGroup, count }] : [];
  });
  return movingGroups.length === 0
    ? undefined
    : withPodsOnNewNodes(evaluated.packing, packingState, movingGroups, nodeCosts);
}

/** Finds a pod group of the class that may be placed where a node would take the displaced pods. */
function findPodGroup(
  { cls, nodes: numbers }: DisplacedPods,
  { nodes }: EvaluatedPacking,
  podGroups: readonly PodGroup[],
): PodGroup | undefined {
  const own = podGroups.filter((podGroup) => podGroup.cls === cls);
  const labelSets = numbers.map((number) => nodes[number]?.kind.labels ?? {});
  return own.find((podGroup) => labelSets.some((labels) => isPlacedAt(podGroup, labels))) ?? own[0];
}

const isPlacedAt = ({ topologyDomains }: PodGroup, labels: Labels): boolean =>
  [...topologyDomains].every(([key, domain]) => ownValue(labels, key) === domain);

/**
 * Adds new nodes for pods that were taken off `drafting`. Returns undefined if a pod finds no node,
 * or if more nodes belong to pools of too low a weight.
 *
 * @param nodeCosts - assumed costs; by default the real ones
 */
export function withPodsOnNewNodes(
  packing: Packing,
  packingState: PackingState,
  movingGroups: readonly PodGroup[],
  nodeCosts?: NodeCosts,
): Packing | undefined {
  const before = packingState.newNodes.length;
  packByPrice(packingState, movingGroups, nodeCosts);
  if (movingGroups.some(({ count }) => count > 0)) return undefined;
  if (countTooLightNodes(packingState) > countTooLightNodes(packing.packingState)) return undefined;
  resolveLimits({ ...packingState, newNodes: packingState.newNodes.slice(before) });
  return withPackingState(packing, packingState);
}

/** Counts the nodes of pools of too low a weight for their pods. */
const countTooLightNodes = ({ newNodes }: PackingState): number => newNodes.filter(isTooLight).length;

/**
 * Moves all pods of a class to nodes that hold at most `maxPods` of them. Larger pods do not fit
 * there, so that kube-scheduler cannot bind them in their place.
 */
export function withSmallNodes(
  cls: PodClass,
  maxPods: number,
  packing: Packing,
  podGroups: readonly PodGroup[],
  problem: Problem,
): Packing | undefined {
  const packingState = copyPackingState(packing.packingState);
  const movingGroups = podGroups.flatMap((podGroup): PodGroup[] => {
    if (podGroup.cls !== cls || hasHostAffinity(podGroup)) return [];
    const count = takeAllOff(packingState, podGroup, problem);
    return count > 0 ? [{ ...podGroup, count, options: listSmallOptions(podGroup, maxPods, problem) }] : [];
  });
  return movingGroups.length === 0 ? undefined : withPodsOnNewNodes(packing, packingState, movingGroups);
}

/**
 * Removes nodes that become empty, and lets the others become smaller. Returns the number of pods
 * taken.
 */
function takeAllOff(packingState: PackingState, movingGroup: PodGroup, problem: Problem): number {
  let takenPods = 0;
  for (const newNode of [...packingState.newNodes]) {
    const before = takenPods;
    for (const [podGroup, count] of newNode.podCounts) {
      if (!isSamePodGroup(podGroup, movingGroup)) continue;
      removePods(newNode, podGroup, count);
      takenPods += count;
    }
    if (takenPods > before) shrinkOrDiscard(packingState, newNode, problem);
  }
  return takenPods;
}

function shrinkOrDiscard(packingState: PackingState, newNode: NewNode, problem: Problem): void {
  if (newNode.podCounts.size === 0) discardNewNode(packingState, newNode);
  // The limits were computed for the node's current types.
  else if (!packingState.allowances.has(newNode.template.pool.name)) {
    replaceTypes(newNode, findTypesFor(newNode, newNode.spareRoom, problem));
  }
}

const listSmallOptions = ({ options, request }: PodGroup, maxPods: number, problem: Problem) =>
  options.flatMap((option): PodGroup['options'] => {
    const tooMany = request.map((amount) => amount * (maxPods + 1));
    const large = findTypesHolding(option.template.daemons, tooMany, problem);
    const types = without(option.types, large);
    const allowed = without(option.allowed, large);
    return isEmptyBitset(types) ? [] : [{ ...option, types, allowed }];
  });
