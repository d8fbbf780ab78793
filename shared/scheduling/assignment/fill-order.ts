import { at, type Vector } from '../data-structures/resource-vectors.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import { memoizePerRunningPods, type Problem } from '../input/problem.ts';

/**
 * Sorts nodes in the order in which pods fill them: initialized nodes first, then fullest first, so that
 * free capacity stays in one piece, then by name. Nodes are compared once for all classes and batches;
 * only those that have received pods since are compared again.
 *
 * @param findFree - the room that is left on a node; `free` of the node itself if it received no pods
 */
export function sortByFillOrder(
  nodes: readonly ExistingNode[],
  findFree: (node: ExistingNode) => Vector,
  problem: Problem,
): readonly ExistingNode[] {
  const { byRank, rankOf } = rankNodes(problem);
  const ranks: number[] = [];
  const filled: FilledNode[] = [];
  for (const node of nodes) {
    const free = findFree(node);
    const rank = free === node.free ? rankOf.get(node) : undefined;
    if (rank === undefined) filled.push(toFilledNode(node, free));
    else ranks.push(rank);
  }
  const others = Array.from(Int32Array.from(ranks).sort(), (rank) => byRank[rank]);
  const sorted = others.flatMap((node) => node ?? []);
  return filled.length === 0 ? sorted : mergeInto(sorted, filled.toSorted(compareFillOrder));
}

interface FilledNode {
  readonly node: ExistingNode;
  readonly utilization: number;
}

const toFilledNode = (node: ExistingNode, free: Vector = node.free): FilledNode => ({
  node,
  utilization: computeUtilization(node, free),
});

const compareFillOrder = (a: FilledNode, b: FilledNode): number =>
  Number(b.node.initialized) - Number(a.node.initialized) ||
  b.utilization - a.utilization ||
  (a.node.name < b.node.name ? -1 : 1);

/** The positions of the nodes in the fill order before any pod of the batch is placed. */
const rankNodes = memoizePerRunningPods(({ runningNodes }) => {
  const byRank = runningNodes
    .map((node) => toFilledNode(node))
    .toSorted(compareFillOrder)
    .map(({ node }) => node);
  return { byRank, rankOf: new Map(byRank.map((node, rank) => [node, rank])) };
});

/** Merges two lists that are both in the fill order. */
function mergeInto(sorted: readonly ExistingNode[], filled: readonly FilledNode[]): readonly ExistingNode[] {
  const merged: ExistingNode[] = [];
  let next = 0;
  for (const one of filled) {
    for (; next < sorted.length; next++) {
      const other = sorted[next];
      if (!other || compareFillOrder(toFilledNode(other), one) > 0) break;
      merged.push(other);
    }
    merged.push(one.node);
  }
  return [...merged, ...sorted.slice(next)];
}

/** The larger of the used shares of CPU and memory. */
function computeUtilization({ allocatable }: ExistingNode, free: Vector): number {
  return Math.max(computeShareInUse(allocatable, free, 0), computeShareInUse(allocatable, free, 1));
}

function computeShareInUse(allocatable: Vector, free: Vector, column: number): number {
  const allocatableAmount = at(allocatable, column);
  return allocatableAmount > 0 ? 1 - at(free, column) / allocatableAmount : 0;
}
