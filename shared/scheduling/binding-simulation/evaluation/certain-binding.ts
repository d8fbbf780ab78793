import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { NodeKind } from '../scheduler-model/node-models.ts';
import type { PodClassModel } from '../scheduler-model/pod-class-models.ts';

/**
 * True if every pod finds a node in any order. This is proved by counting: to leave a pod without a
 * node, the other pods have to fill each node with room for it, and there are too few of them. A move of a few
 * pods in a large cluster mostly needs no simulation.
 *
 * @param pods - the pods to bind, one entry per pod
 * @param eachKind - yields the kind of each node
 * @returns false if it cannot be proved: topology rules and host ports are not considered
 */
export function bindsInAnyOrder(pods: readonly PodClassModel[], eachKind: () => Iterable<NodeKind>): boolean {
  const classes = [...new Set(pods)];
  if (classes.some(isRestricted)) return false;
  const largestSums = computeLargestSums(pods, classes);
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

/**
 * By resource column: the sums of the n largest requests, for n from 1 to the number of pods; empty if no
 * pod requests the resource.
 */
function computeLargestSums(pods: readonly PodClassModel[], classes: readonly PodClassModel[]): readonly Vector[] {
  const counts = new Map<PodClassModel, number>();
  for (const model of pods) counts.set(model, (counts.get(model) ?? 0) + 1);
  const requested = new Set(classes.flatMap(({ requestedColumns }) => requestedColumns));
  return Array.from({ length: classes[0]?.request.length ?? 0 }, (_, column) => {
    if (!requested.has(column)) return NO_SUMS;
    const sums = new Float64Array(pods.length);
    let [sum, index] = [0, 0];
    for (const model of classes.toSorted((a, b) => at(b.request, column) - at(a.request, column)))
      for (let pod = counts.get(model) ?? 0; pod > 0; pod--) {
        sum += at(model.request, column);
        sums[index++] = sum;
      }
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
    const pods = countSumsWithin(room, sums);
    if (pods < sums.length) fewest = Math.min(fewest, pods + 1);
  }
  return fewest;
}

/** Binary search: the sums are ascending. */
function countSumsWithin(room: number, sums: Vector): number {
  let [low, high] = [0, sums.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(sums, middle) <= room) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Subtracting many requests from the room accumulates rounding errors. */
const ROUNDING = 1e-9;

const NO_SUMS: Vector = new Float64Array();
