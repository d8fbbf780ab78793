import type { PodGroup, PoolOption } from '../../assignment/pod-groups.ts';
import { intersection, nextBit } from '../../data-structures/bitset.ts';
import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { NodeCosts } from '../../input/node-costs.ts';
import type { Problem } from '../../input/problem.ts';
import { openNewNode } from '../new-nodes/packing-state.ts';
import { placePods } from '../new-nodes/place-pods.ts';
import { type Construction, isCheaper } from '../packing.ts';

/** The cheapest node that holds a number of equal pods. */
interface CheapestNode {
  readonly option: PoolOption;
  /** Price per hour, with the cost of a node besides its instance. */
  readonly usd: number;
}

/** By number of pods, from 1; position 0 is unused. Ends with the most pods that a node holds. */
export type NodesByPods = readonly (CheapestNode | undefined)[];

/**
 * Finds the cheapest node for each number of pods of the group, from one pod to all of them. Rules
 * on the hostname, limits and minValues are not considered.
 */
export function findCheapestNodes(
  { request, requestedColumns, count }: PodGroup,
  options: readonly PoolOption[],
  { typeIndex, offerings }: Problem,
  nodeCosts: NodeCosts,
): NodesByPods {
  const nodes: (CheapestNode | undefined)[] = [];
  for (const option of options) {
    const prices = offerings.pricesIn(option.where);
    const perNodeUsd = nodeCosts(option.template.pool);
    for (const { types, overhead } of option.template.daemons) {
      const usable = intersection(option.types, types);
      for (let type = nextBit(usable, 0); type >= 0; type = nextBit(usable, type + 1)) {
        let pods = count;
        const allocatable: Vector = typeIndex.allocatable[type] ?? overhead;
        for (const column of requestedColumns) {
          const room = at(allocatable, column) - at(overhead, column);
          pods = Math.min(pods, Math.floor(room / at(request, column)));
        }
        const usd = at(prices, type) + perNodeUsd;
        if (pods > 0 && usd < (nodes[pods]?.usd ?? Infinity)) nodes[pods] = { option, usd };
      }
    }
  }
  // A larger node also holds fewer pods.
  for (let pods = nodes.length - 2; pods > 0; pods--) {
    const larger = nodes[pods + 1];
    if (larger && larger.usd < (nodes[pods]?.usd ?? Infinity)) nodes[pods] = larger;
  }
  return nodes;
}

/** The numbers of pods on each node, and the cost of these nodes in USD per hour. */
export interface Division {
  readonly podsPerNode: readonly number[];
  readonly usd: number;
}

/**
 * Divides equal pods among nodes at the least price, by dynamic programming: the cheapest nodes for
 * n pods are a node with k pods and the cheapest nodes for n - k pods. Nodes with most pods come
 * first.
 */
export function divideAmongNodes(pods: number, nodes: NodesByPods): Division {
  const leastUsd = new Float64Array(pods + 1).fill(Infinity);
  leastUsd[0] = 0;
  const podsOnNode = new Int32Array(pods + 1);
  for (let total = 1; total <= pods; total++) {
    for (let onNode = Math.min(total, nodes.length - 1); onNode > 0; onNode--) {
      const nodeUsd = nodes[onNode]?.usd ?? Infinity;
      const usd = at(leastUsd, total - onNode) + nodeUsd;
      if (!isCheaper(usd, at(leastUsd, total))) continue;
      leastUsd[total] = usd;
      podsOnNode[total] = onNode;
    }
  }
  const podsPerNode: number[] = [];
  for (let remaining = pods; remaining > 0; ) {
    const onNode = podsOnNode[remaining] ?? 0;
    if (onNode === 0) break;
    podsPerNode.push(onNode);
    remaining -= onNode;
  }
  return { podsPerNode, usd: at(leastUsd, pods) };
}

/** Opens the nodes of a division. */
export const packDivision =
  ({ podsPerNode }: Division, nodes: NodesByPods): Construction =>
  (state, [podGroup]) => {
    for (const pods of podsPerNode) {
      const option = nodes[pods]?.option;
      const newNode = option && openNewNode(state, option);
      if (newNode && podGroup) placePods(state, newNode, podGroup, pods);
    }
  };
