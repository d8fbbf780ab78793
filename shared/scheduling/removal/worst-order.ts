import type { PodKey } from '../../model/pods/pod.ts';
import type { AssignedBatch } from '../assignment/assign-batch.ts';
import { simulateOrders } from '../binding-simulation/simulate-orders.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { findCheapestReplacement } from './necessary-conditions.ts';

/** The binding order of a move whose displaced pods need the most expensive nodes. */
export interface WorstOrder {
  /** The cheapest nodes for the displaced pods, in USD per hour; 0 if every order binds all pods. */
  readonly relaunchUsd: number;
  /** A pod for which no node was left. */
  readonly displaced?: PodKey;
}

/**
 * Finds what the pods of a move cost in the worst order. kube-scheduler knows no plan: if a small pod
 * takes the place of a large one, a node is launched for the large one. A move that saves no more than
 * this node is repeated forever.
 *
 * @param enoughUsd - the search ends at the first order that costs as much
 */
export function findWorstOrder(
  batch: AssignedBatch,
  newNodes: readonly NewNode[],
  mayReceive: (node: ExistingNode) => boolean,
  enoughUsd: number,
): WorstOrder {
  let worst: WorstOrder = { relaunchUsd: 0 };
  for (const displaced of simulateOrders(batch, newNodes, mayReceive)) {
    const relaunchUsd = computeRelaunchUsd(displaced, batch.problem);
    const [first] = displaced[0]?.cls.pods ?? [];
    if (relaunchUsd > worst.relaunchUsd && first !== undefined) worst = { relaunchUsd, displaced: first };
    if (worst.relaunchUsd >= enoughUsd) break;
  }
  return worst;
}

/** One node for all of them, or one for each, whichever costs less. */
function computeRelaunchUsd(
  displaced: readonly { readonly cls: PodClass; readonly pods: number }[],
  problem: Problem,
): number {
  const together = displaced.flatMap(({ cls, pods }) => Array.from({ length: pods }, () => ({ spec: cls.spec })));
  const apart = displaced.reduce(
    (sum, { cls, pods }) => sum + pods * findCheapestReplacement([cls], 0, problem).hourlyUsd,
    0,
  );
  return Math.min(apart, findCheapestReplacement(together, 0, problem).hourlyUsd);
}
