import type { PodSpec } from '../../../model/pods/pod.ts';
import { findTypesHolding } from '../../assignment/pod-groups.ts';
import { forEachBit, intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { at, countFits, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
import { admits } from '../../input/existing-nodes.ts';
import type { NodeCosts } from '../../input/node-costs.ts';
import type { Problem } from '../../input/problem.ts';
import { listFullyRelaxed } from '../../pods/relaxations.ts';
import { groupByKind } from './pod-kinds.ts';

/**
 * The cost of the most expensive node that the largest pods need. A node cannot be divided, so for
 * a few pods this is a better bound than any sum. 0 if no new node is needed.
 */
export function findMostExpensiveNodeUsd(problem: Problem, specs: Iterable<PodSpec>, nodeCosts: NodeCosts): number {
  let mostExpensive = 0;
  for (const spec of listLargest([...specs], problem)) {
    const request = toVector(problem.columns, spec.requests);
    if (fitsExistingNode(spec, request, problem)) continue;
    const nodeUsd = findMinUsd(spec, request, nodeCosts, problem);
    if (nodeUsd !== undefined) mostExpensive = Math.max(mostExpensive, nodeUsd);
  }
  return mostExpensive;
}

/** For each column, one of the pods with the largest request. */
function listLargest(specs: readonly PodSpec[], { columns }: Problem): Set<PodSpec> {
  const maxUsd = new Float64Array(columns.names.length);
  const largest = new Map<number, PodSpec>();
  for (const spec of specs) {
    const request = toVector(columns, spec.requests);
    for (let column = 0; column < maxUsd.length; column++) {
      if (at(request, column) <= at(maxUsd, column)) continue;
      maxUsd[column] = at(request, column);
      largest.set(column, spec);
    }
  }
  return new Set(largest.values());
}

/** True if an existing node has room for the pod. */
function fitsExistingNode(spec: PodSpec, request: Vector, problem: Problem): boolean {
  const relaxations = listFullyRelaxed(spec);
  return problem.existingNodes.some(
    (node) =>
      !node.leaving && countFits(request, node.free) > 0 && relaxations.some((relaxation) => admits(node, relaxation)),
  );
}

/**
 * The lowest cost of a node for the pod; undefined if a reservation may take it or no new node
 * can.
 */
function findMinUsd(spec: PodSpec, request: Vector, nodeCosts: NodeCosts, problem: Problem): number | undefined {
  const { offerings, reservations } = problem;
  let cheapest = Infinity;
  for (const { template, allowed, where } of groupByKind([spec], problem).flatMap((kind) => kind.accesses)) {
    const types = intersection(allowed, findTypesHolding(template.daemons, request, problem, spec));
    const perNodeUsd = nodeCosts(template.pool);
    if (reservations && !isEmptyBitset(intersection(types, reservations.types))) return undefined;
    forEachBit(types, (type) => {
      cheapest = Math.min(cheapest, offerings.cheapestUsd(type, where) + perNodeUsd);
    });
  }
  return cheapest < Infinity ? cheapest : undefined;
}
