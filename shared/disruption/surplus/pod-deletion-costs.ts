import { ON_SURPLUS_NODE_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { byClaimName, type Candidate } from '../candidates.ts';

/** The deletion costs: 0 for the quarter of the nodes that wastes least, -3 for the one that wastes most. */
const LEVELS = 4;
/** A node keeps its cost until its rank is beyond it by this share of a quarter. */
const HYSTERESIS = 0.5;

/** The deletion cost that Mortise gave the pod; 0 if it gave none. */
export const readOwnDeletionCost = ({ annotations }: Pod): number =>
  ownValue(annotations, ON_SURPLUS_NODE_ANNOTATION) === 'true'
    ? Number(ownValue(annotations, POD_DELETION_COST_ANNOTATION) ?? 0)
    : 0;

/** The cost of the pods on the node: the lowest, because new pods have none yet. */
const readNodeDeletionCost = ({ existingNode: { pods } }: Candidate): number =>
  Math.min(0, ...pods.map(readOwnDeletionCost));

/**
 * Computes the deletion costs of the pods on each node: a ReplicaSet that becomes smaller takes its pods from the
 * nodes that waste most.
 *
 * @param nodes - the nodes of a NodePool
 * @returns by node; without those whose pods need no cost
 */
export function rankDeletionCosts(
  nodes: readonly Candidate[],
  waste: ReadonlyMap<Candidate, number>,
): ReadonlyMap<Candidate, number> {
  const ranked = nodes.toSorted((a, b) => (waste.get(b) ?? 0) - (waste.get(a) ?? 0) || byClaimName(a, b));
  const costs = ranked.map((node, index): [Candidate, number] => {
    const position = (1 - (index + 0.5) / ranked.length) * LEVELS;
    const current = -readNodeDeletionCost(node);
    const isNear = position > current - HYSTERESIS && position < current + 1 + HYSTERESIS;
    return [node, isNear ? -current : -Math.floor(position)];
  });
  return new Map(costs.filter(([, cost]) => cost < 0));
}

/** The deletion costs that the pods of the nodes have. */
export const keepDeletionCosts = (nodes: readonly Candidate[]): ReadonlyMap<Candidate, number> =>
  new Map(nodes.map((node) => [node, readNodeDeletionCost(node)] as const).filter(([, cost]) => cost < 0));
