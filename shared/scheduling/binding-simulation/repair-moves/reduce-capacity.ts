import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { findCheapestType, type NewNode } from '../../packing/new-nodes/new-node.ts';
import { copyPackingState, discardNewNode, type PackingState } from '../../packing/new-nodes/packing-state.ts';
import { placePods } from '../../packing/new-nodes/place-pods.ts';
import { resolveLimits } from '../../packing/new-nodes/resolve-limits.ts';
import type { Packing } from '../../packing/packing.ts';
import { withPackingState } from '../../packing/packing.ts';
import type { EvaluatedPacking } from '../evaluation/evaluate-packing.ts';
import { findTypesFor } from './resize-nodes.ts';

/**
 * Shares of a new node's spare room that are tried. Less room is often enough once other nodes have
 * grown.
 */
const KEPT_SPARE_SHARES = [0, 0.5];

/** Lists packings that cost less than the evaluated one and may still bind completely. */
export function* listReductions({ packing }: EvaluatedPacking, problem: Problem): Generator<Packing> {
  const { newNodes } = packing.packingState;
  const usdOf = (newNode: NewNode): number => findCheapestType(newNode, problem).hourlyUsd;
  const byDescendingPrice = [...newNodes.keys()].toSorted(
    (a, b) => usdOf(newNodes[b] as NewNode) - usdOf(newNodes[a] as NewNode),
  );
  for (const number of byDescendingPrice) {
    for (const share of KEPT_SPARE_SHARES) {
      const smaller = withSmallerType(packing.packingState, number, share, problem);
      if (smaller) yield withPackingState(packing, smaller);
    }
  }
  for (const number of byDescendingPrice.toReversed()) {
    const fewer = withoutNode(packing.packingState, number);
    if (fewer) yield withPackingState(packing, fewer);
  }
}

function withSmallerType(
  packingState: PackingState,
  number: number,
  share: number,
  problem: Problem,
): PackingState | undefined {
  const newNode = packingState.newNodes[number];
  // The limits were computed for the node's current types.
  if (!newNode || packingState.allowances.has(newNode.template.pool.name)) return undefined;
  const spare = newNode.spareRoom.map((amount) => amount * share);
  const types = findTypesFor(newNode, spare, problem);
  if (findUnmetMinValues(newNode.template, types, problem, newNode.minValues)) return undefined;
  const usd = findCheapestType({ types, where: newNode.where }, problem).hourlyUsd;
  if (usd >= findCheapestType(newNode, problem).hourlyUsd) return undefined;
  const newNodes = packingState.newNodes.with(number, { ...newNode, types, spareRoom: spare });
  return { ...packingState, newNodes };
}

/** Moves the pods of a new node to the other new nodes; undefined if these cannot take all. */
function withoutNode(from: PackingState, number: number): PackingState | undefined {
  const packingState = copyPackingState(from);
  const removed = packingState.newNodes[number];
  if (!removed) return undefined;
  discardNewNode(packingState, removed);
  for (const [podGroup, pods] of removed.podCounts) {
    const moving = { ...podGroup, count: pods };
    for (const newNode of packingState.newNodes) {
      if (moving.count === 0) break;
      placePods(packingState, newNode, moving);
    }
    if (moving.count > 0) return undefined;
  }
  resolveLimits(packingState);
  return packingState;
}
