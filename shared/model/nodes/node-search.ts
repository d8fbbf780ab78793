import { getOrCreate } from '../memo.ts';

/** With fewer nodes, all of them are compared. With more, at least as many. */
const MIN_NODES_TO_FIND = 100;

/**
 * Computes how many nodes that pass all filters kube-scheduler compares for a pod.
 *
 * @see kube-scheduler 1.36: `percentageOfNodesToScore` falls from 50 by one for each 125 nodes, to 5
 */
export function countNodesToFind(nodes: number): number {
  if (nodes < MIN_NODES_TO_FIND) return nodes;
  const percentage = Math.max(5, 50 - Math.floor(nodes / 125));
  return Math.max(MIN_NODES_TO_FIND, Math.floor((nodes * percentage) / 100));
}

/** If so many nodes are compared, as a share, their order hardly matters. */
const MOST = 0.9;

/**
 * Lists the nodes in the order in which kube-scheduler searches them: one of each zone after the other. Where most nodes
 * are compared, they are listed as they are.
 */
export function interleaveZones<T>(nodes: readonly T[], getZone: (node: T) => string | undefined): readonly T[] {
  if (countNodesToFind(nodes.length) >= nodes.length * MOST) return nodes;
  const nodesInZone = new Map<string | undefined, T[]>();
  for (const node of nodes) getOrCreate(nodesInZone, getZone(node), () => []).push(node);
  const ordered = [...nodesInZone.values()].flatMap((inZone) => inZone.map((node, position) => ({ node, position })));
  return ordered.toSorted((a, b) => a.position - b.position).map(({ node }) => node);
}
