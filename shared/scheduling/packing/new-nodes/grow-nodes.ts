import { findTypesHolding } from '../../assignment/pod-groups.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { addTimes, toVector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { findCheapestType, type NewNode, resizeNode } from './new-node.ts';

/**
 * A larger set of resources on a new node: room for one more pod of a class, and its extra price.
 */
interface Resize {
  readonly newNode: NewNode;
  readonly types: NewNode['types'];
  readonly spare: NewNode['spareRoom'];
  /** Increase of the node's price, in USD per hour. */
  readonly usd: number;
}

/**
 * Adds room for displaced pods to new nodes, each time to the node where it costs least. Types are
 * only removed, so limits and rules still hold.
 *
 * @returns whether any room was added
 */
export function growForPods(cls: PodClass, pods: number, newNodes: readonly NewNode[], problem: Problem): boolean {
  const resizes = new Map<NewNode, Resize>();
  const update = (newNode: NewNode): void => {
    const resize = findResize(newNode, cls, problem);
    if (resize) resizes.set(newNode, resize);
    else resizes.delete(newNode);
  };
  for (const newNode of newNodes) update(newNode);
  let remaining = pods;
  while (remaining > 0) {
    const best = findCheapest(resizes.values());
    if (!best) break;
    resizeNode(best.newNode, best.types, best.spare);
    update(best.newNode);
    remaining -= 1;
  }
  return remaining < pods;
}

function findCheapest(resizes: Iterable<Resize>): Resize | undefined {
  let best: Resize | undefined;
  for (const resize of resizes) if (!best || resize.usd < best.usd) best = resize;
  return best;
}

function findResize(newNode: NewNode, { spec }: PodClass, problem: Problem): Resize | undefined {
  const { template, where } = newNode;
  const spare = newNode.spareRoom.slice();
  addTimes(spare, toVector(problem.columns, spec.requests), 1);
  const total = newNode.used.slice();
  addTimes(total, spare, 1);
  const types = intersection(newNode.types, findTypesHolding(template.daemons, total, problem));
  if (isEmptyBitset(types) || findUnmetMinValues(template, types, problem)) return undefined;
  const grownUsd = findCheapestType({ types, where }, problem).hourlyUsd;
  if (grownUsd === Infinity) return undefined;
  return { newNode, types, spare, usd: grownUsd - findCheapestType(newNode, problem).hourlyUsd };
}
