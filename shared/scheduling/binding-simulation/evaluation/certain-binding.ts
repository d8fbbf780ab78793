import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { NodeKind } from '../scheduler-model/node-models.ts';
import type { PodClassModel } from '../scheduler-model/pod-class-models.ts';

/**
 * Returns whether every pod finds a node in any order. This is proved by counting: to leave a pod without a
 * node, the other pods have to fill each node with room for it, and there are too few of them. A move of a few
 * pods in a large cluster mostly needs no simulation.
 *
 * @param pods - the pods to bind, one entry per pod
 * @param eachKind - yields the kind of each node
 * @returns false if it cannot be proved: topology rules and host ports are not considered
 */
export function bindsInAnyOrder(
  pods: readonly PodClassModel[],
  eachKind: () => Iterable<NodeKind>,
): boolean {
  const classes = [...new Set(pods)];
  if (classes.some(isRestricted)) return false;
  const largestSums = computeLargestSums(pods);
  return classes.every((model) => {
    let blockers = 0;
    for (const kind of eachKind()) {
      blockers += countBlockers(model, kind, largestSums);
      if (blockers >= pods.length) return true;
    }
    return false;
  });
}

const isRestricted = ({ hasNoOwnRules, barredBy, cls }: PodClassModel): boolean =>
  !hasNoOwnRules || barredBy.length > 0 || cls.spec.hostPorts.length > 0;

/** By resource column: the sums of the n largest requests, for n from 1 to the number of pods. */
function computeLargestSums(pods: readonly PodClassModel[]): readonly Vector[] {
  const columns = pods[0]?.request.length ?? 0;
  return Array.from({ length: columns }, (_, column) => {
    const sums = Float64Array.from(pods, ({ request }) => at(request, column)).toSorted(
      (a, b) => b - a,
    );
    for (let index = 1; index < sums.length; index++)
      sums[index] = at(sums, index) + at(sums, index - 1);
    return sums;
  });
}

/**
 * Counts how many other pods it takes at least until a pod of the class no longer fits on the node;
 * Infinity if all of them are too few.
 */
function countBlockers(
  { request, requestedColumns, evaluateNode }: PodClassModel,
  kind: NodeKind,
  largestSums: readonly Vector[],
): number {
  const { isEligible, initialScore } = evaluateNode(kind);
  // The scores of an overcommitted node may be negative, as if no pod fitted.
  if (!isEligible || initialScore < 0 || kind.free.some((amount) => amount < 0)) return 0;
  let fewest = Infinity;
  for (const column of requestedColumns) {
    const room = (at(kind.free, column) - at(request, column)) * (1 - ROUNDING);
    const sums = largestSums[column] ?? NO_SUMS;
    let pods = 0;
    while (pods < sums.length && pods < fewest && at(sums, pods) <= room) pods += 1;
    if (pods < sums.length) fewest = Math.min(fewest, pods + 1);
  }
  return fewest;
}

/** Subtracting many requests from the room accumulates rounding errors. */
const ROUNDING = 1e-9;

const NO_SUMS: Vector = new Float64Array();
