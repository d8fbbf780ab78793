import { addPodsToGroup, findTypesHolding, type PodGroup } from '../../assignment/pod-groups.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { sum } from '../../data-structures/resource-vectors.ts';
import type { NodeCosts } from '../../input/node-costs.ts';
import type { Problem } from '../../input/problem.ts';
import { findCheapestType, type NewNode } from '../../packing/new-nodes/new-node.ts';
import { copyPackingState, discardNewNode, type PackingState } from '../../packing/new-nodes/packing-state.ts';
import { addPods, countPodsWithMinValues, findFit, placePods } from '../../packing/new-nodes/place-pods.ts';
import { resolveLimits } from '../../packing/new-nodes/resolve-limits.ts';
import type { Packing } from '../../packing/packing.ts';
import { withPackingState } from '../../packing/packing.ts';
import { withPodsOnNewNodes } from './separate-nodes.ts';

/** Number of pairs that are merged, those with the least price increase first. */
const MAX_MERGES = 3;

/**
 * Number of nodes that are considered, the cheapest first: displaced pods are mostly those of small
 * nodes.
 */
const MAX_CANDIDATES = 24;

/** Lists packings with two nodes merged into one. */
export function* withFewerNodes(packing: Packing, problem: Problem): Generator<Packing> {
  const { newNodes } = packing.packingState;
  const priced = newNodes
    .map((newNode, number) => ({
      newNode,
      number,
      usd: findCheapestType(newNode, problem).hourlyUsd,
    }))
    .toSorted((a, b) => a.usd - b.usd)
    .slice(0, MAX_CANDIDATES);
  const pairs = priced.flatMap((a, first) =>
    priced.slice(first + 1).flatMap((b) => {
      const usd = computeMergedUsd(a.newNode, b.newNode, problem) - a.usd - b.usd;
      return usd < Infinity ? [{ a, b, usd }] : [];
    }),
  );
  for (const { a, b } of pairs.toSorted((x, y) => x.usd - y.usd).slice(0, MAX_MERGES)) {
    const merged = withMergedNodes(packing, a.number, b.number);
    if (merged) yield merged;
  }
}

/** Computes the price of the cheapest node for the pods of both, as far as types and zones tell. */
function computeMergedUsd(a: NewNode, b: NewNode, problem: Problem): number {
  if (a.template !== b.template) return Infinity;
  const where = {
    zones: a.where.zones & b.where.zones,
    capacityTypes: a.where.capacityTypes & b.where.capacityTypes,
  };
  if (where.zones === 0 || where.capacityTypes === 0) return Infinity;
  const holding = findTypesHolding(a.template.daemons, sum(a.used, b.used), problem);
  const types = intersection(intersection(a.types, b.types), holding);
  return isEmptyBitset(types) ? Infinity : findCheapestType({ types, where }, problem).hourlyUsd;
}

/**
 * Merges two new nodes; undefined if their types or the topology rules of their pods do not allow
 * it.
 */
export function withMergedNodes(packing: Packing, first: number, second: number): Packing | undefined {
  const packingState = mergeNodes(packing.packingState, first, second);
  return packingState && withPackingState(packing, packingState);
}

function mergeNodes(from: PackingState, first: number, second: number): PackingState | undefined {
  const packingState = copyPackingState(from);
  const [a, b] = [packingState.newNodes[first], packingState.newNodes[second]];
  if (!a || !b || a === b) return undefined;
  discardNewNode(packingState, b);
  for (const [podGroup, pods] of b.podCounts) {
    const joined = findFit(packingState, a, podGroup, pods);
    if (!joined || joined.room < pods || countPodsWithMinValues(packingState, a, podGroup, joined) < pods)
      return undefined;
    addPods(packingState, a, { ...podGroup, count: pods }, pods, joined);
  }
  resolveLimits(packingState);
  return packingState;
}

/** How the pods of removed nodes are packed again. */
interface RepackOptions {
  /** True if the pods first fill free room on the other nodes. */
  readonly join: boolean;
  /** Higher costs give fewer nodes. */
  readonly nodeCosts: NodeCosts;
}

/** Removes some nodes and packs their pods again; undefined if a pod finds no node. */
export function withoutNodes(
  packing: Packing,
  numbers: ReadonlySet<number>,
  { join, nodeCosts }: RepackOptions,
): Packing | undefined {
  const packingState = copyPackingState(packing.packingState);
  const moving = new Map<PodGroup, PodGroup>();
  for (const newNode of packingState.newNodes.filter((_, number) => numbers.has(number))) {
    discardNewNode(packingState, newNode);
    for (const [podGroup, pods] of newNode.podCounts) {
      const existing = moving.get(podGroup) ?? { ...podGroup, count: 0 };
      addPodsToGroup(existing, pods);
      moving.set(podGroup, existing);
    }
  }
  const removed = [...moving.values()];
  if (join) {
    for (const newNode of packingState.newNodes)
      for (const podGroup of removed) placePods(packingState, newNode, podGroup);
    resolveLimits(packingState);
  }
  const remaining = removed.filter(({ count }) => count > 0);
  if (remaining.length === 0) return withPackingState(packing, packingState);
  return withPodsOnNewNodes(packing, packingState, remaining, nodeCosts);
}
