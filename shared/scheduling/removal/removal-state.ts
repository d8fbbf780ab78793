import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { DisruptionPlan, Placement } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { type AssignedBatch, assignBatch } from '../assignment/assign-batch.ts';
import { withHeadroom, withoutHeadroom } from '../assignment/buffer-headroom.ts';
import { placeLeavingPods } from '../assignment/place-leaving-pods.ts';
import { addTimes, toVector } from '../data-structures/resource-vectors.ts';
import { type ExistingNode, withPods } from '../input/existing-nodes.ts';
import { keepExpectedPods } from '../input/expected-pods.ts';
import { selectFairShare } from '../input/fair-share.ts';
import { listPodsToMove, listPodsToPlace } from '../input/plan-batch.ts';
import { memoizePerSnapshot, type Problem, prepare, withoutNodes } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { listAnticipatedPods } from '../pods/anticipated-pods.ts';
import { createPodTaker } from '../pods/pod-classes.ts';

/**
 * The cluster in which removals are simulated. This folder answers `shared/disruption`: can the pods
 * of these nodes live without them, or on cheaper ones?
 *
 * 1. `planKeepingHeadroom` adds buffer pods to the snapshot; `prepareRemovals` takes the room that
 * waiting pods are about to use.
 * 2. `NodeRooms`, `findCheapestReplacement` and `canOnlyRunOnSpot` are cheap necessary conditions.
 * 3. `simulateRemoval` packs the pods of nodes that would be removed; `planWithoutNode` does so at
 * any price.
 */
export interface RemovalState {
  readonly problem: Problem;
  /** Pods that do not run yet but have no other place, by the name of the node that waits for them. */
  readonly awaited: ReadonlyMap<string, readonly Pod[]>;
}

/**
 * Plans with the room of CapacityBuffers taken, and removes buffer pods from the resulting plan.
 */
export function planKeepingHeadroom(
  snapshot: ClusterSnapshot,
  plan: (snapshot: ClusterSnapshot) => DisruptionPlan,
): DisruptionPlan {
  const full = withHeadroom(snapshot);
  return full === snapshot ? plan(full) : withoutHeadroom(plan(full), full);
}

export const prepareCluster = (snapshot: ClusterSnapshot): Problem => prepare(snapshot);

/**
 * Takes the room that pending pods, pods still to be created and pods of leaving nodes are about to
 * use: a node that looks half empty may be needed by them.
 */
export function prepareRemovals(problem: Problem): RemovalState {
  const batch = [...listPodsToPlace(problem), ...listAnticipatedPods(problem.snapshot)];
  if (batch.length === 0) return { problem, awaited: new Map() };
  const kept = keepExpectedPods(problem, batch);
  const expected = placeLeavingPods(kept);
  const { placed } = assignWithinLimit(expected.problem, expected.remaining);
  const byKey = new Map(batch.map((pod) => [podKey(pod), pod]));
  const take = createPodTaker();
  const toPods = (keys: readonly PodKey[]): Pod[] => keys.flatMap((key) => byKey.get(key) ?? []);
  const awaited = new Map(kept.placements.map(({ target, pods }) => [target, toPods(pods)]));
  const nodes = expected.problem.existingNodes.map((node) => {
    const here = placed.get(node);
    if (!here) return node;
    const free = node.free.slice();
    for (const [{ spec }, count] of here) {
      addTimes(free, toVector(problem.columns, spec.requests), -count);
    }
    const keys = [...here].flatMap(([cls, count]) => take(cls, count));
    awaited.set(node.name, [...(awaited.get(node.name) ?? []), ...toPods(keys)]);
    return { ...node, free };
  });
  return { problem: { ...expected.problem, existingNodes: nodes }, awaited };
}

/** Parts of the waiting pods whose places are computed, if all of them are too much work. */
const WAITING_SHARES = [1, 1 / 16, 1 / 256] as const;

/** Assigns the waiting pods, or as many of them as the work limit allows. */
function assignWithinLimit(problem: Problem, waiting: readonly Pod[]): Pick<AssignedBatch, 'placed'> {
  const { work, measuredWork, snapshot } = problem;
  for (const share of WAITING_SHARES) {
    const pods = share === 1 ? waiting : selectFairShare(waiting, share, measuredWork, snapshot.takenAt).pods;
    const assigned = work.tryWithin(WORK_LIMITS.waitingPods, () => assignBatch(problem, pods));
    if (assigned) return assigned;
  }
  return { placed: new Map() };
}

/**
 * The state after nodes are removed, and their pods and those that waited for them run where they are
 * placed. Pods that move to new nodes are left out: these nodes take no further pods.
 */
export function movePods(
  { problem, awaited }: RemovalState,
  removedNodes: readonly string[],
  placements: readonly Placement[],
): RemovalState {
  const removed = new Set(removedNodes);
  const moving = new Map(
    problem.existingNodes
      .filter(({ name }) => removed.has(name))
      .flatMap(({ name, pods }) => [...pods, ...(awaited.get(name) ?? [])])
      .map((pod) => [podKey(pod), pod] as const),
  );
  const podsOf = new Map(placements.map(({ target, pods }) => [target, pods]));
  const reduced = withoutNodes(problem, removedNodes);
  const existingNodes = reduced.existingNodes.map((node) => {
    const arriving = (podsOf.get(node.name) ?? []).flatMap((key) => moving.get(key) ?? []);
    return arriving.length === 0 ? node : withPods(node, arriving, problem.columns);
  });
  return {
    problem: { ...reduced, existingNodes, runningNodes: existingNodes },
    awaited: new Map([...awaited].filter(([name]) => !removed.has(name))),
  };
}

/**
 * Lists the pods that need another place once a node is removed: its own, and those that wait for
 * it.
 */
export function listDisplacedPods(node: ExistingNode, { problem, awaited }: RemovalState): readonly Pod[] {
  const own = getOrCreate(podsToMove(problem), node, () => listPodsToMove(node, problem));
  const waiting = awaited.get(node.name);
  return waiting ? [...own, ...waiting] : own;
}

// Many sets of nodes are evaluated that have a node in common.
const podsToMove = memoizePerSnapshot(() => new WeakMap<ExistingNode, readonly Pod[]>());
