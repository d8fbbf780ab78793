import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { isBufferPodSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { createTooMuchWorkReason } from '../pods/pod-complexity.ts';
import type { Topology, TopologyGroup } from '../topology/topology.ts';
import { createNodeRoomTracker, type NodeRoomTracker } from './node-room-tracker.ts';
import { type DomainCaps, type PlacementContext, placeNextPods } from './place-next-pods.ts';
import { sortForPlacement } from './placement-order.ts';
import type { PodGroup } from './pod-groups.ts';
import { listLevelFrom, rankAttempts } from './relaxation-attempts.ts';

/**
 * The pods of a batch by result: on existing nodes, in pod groups for new nodes, or without a
 * place.
 */
export interface Assignment {
  readonly placed: NodeRoomTracker['placed'];
  readonly podGroups: readonly PodGroup[];
  readonly unassigned: ReadonlyMap<PodClass, number>;
}

export interface AssignmentRules {
  /** Excludes existing nodes from the batch for reasons beyond kube-scheduler's filters. */
  readonly mayReceive: (node: ExistingNode) => boolean;
  /**
   * If false, pods that existing nodes cannot take stay unassigned, and the first class with such
   * pods ends the assignment.
   */
  readonly mayLaunch: boolean;
  /** The zone of all new nodes; any zone if `undefined`. */
  readonly launchZone: string | undefined;
  /**
   * Maximum number of pods on new nodes for each relaxation and domain, learnt from earlier
   * packings.
   */
  readonly caps: DomainCaps;
  /** Orders classes before the placement order is applied. */
  readonly compareOrder: (a: PodClass, b: PodClass) => number;
}

/**
 * Chooses the topology domains of each class, fills existing nodes, and returns the remaining pods
 * as pod groups for new nodes. An existing node is always preferred to a new node, because it costs
 * nothing extra.
 */
export function assign(
  problem: Problem,
  classes: readonly PodClass[],
  topology: Topology,
  { mayReceive, mayLaunch, launchZone, caps, compareOrder }: AssignmentRules,
): Assignment {
  const nodes = problem.existingNodes.filter((node) => !node.leaving && mayReceive(node));
  const roomTracker = createNodeRoomTracker();
  const podGroups: PodGroup[] = [];
  const unassigned = new Map<PodClass, number>();
  const awaited = new Set<TopologyGroup>();
  const shared = {
    problem,
    topology,
    nodes,
    roomTracker,
    podGroups,
    mayLaunch,
    launchZone,
    awaited,
  };
  const ordered = sortForPlacement(classes, problem.snapshot.namespaces).toSorted(compareOrder);
  // Buffer pods are placed last: other pods must not have affinity to them.
  for (const areBuffers of [false, true]) {
    let remainingClasses = ordered.filter(({ spec }) => isBufferPodSpec(spec) === areBuffers);
    while (remainingClasses.length > 0) {
      for (const cls of remainingClasses) {
        const remaining = assignWithinLimit({ ...shared, cls, caps: caps.get(cls) ?? NO_CAPS });
        if (remaining === 0) unassigned.delete(cls);
        else unassigned.set(cls, remaining);
        if (remaining > 0 && !mayLaunch) return { placed: roomTracker.placed, podGroups, unassigned };
      }
      const waitingForOthers = remainingClasses.filter((cls) => isWaitingForOthers(cls, unassigned));
      // If no pod was placed in this round, the remaining pods wait for pods that will not come.
      remainingClasses = waitingForOthers.length < remainingClasses.length ? waitingForOthers : [];
    }
  }
  return { placed: roomTracker.placed, podGroups, unassigned };
}

/** Affinity forms chains, so the pods that a class must join may be placed after it. */
const isWaitingForOthers = (cls: PodClass, unassigned: ReadonlyMap<PodClass, number>): boolean =>
  cls.spec.podAffinity.length > 0 && unassigned.get(cls) === cls.pods.length;

const NO_CAPS: ReadonlyMap<string, number> = new Map();

/**
 * Assigns a class with the operations that one class may take. A class that needs more keeps the
 * places that it has, and is not tried again.
 *
 * @returns the number of pods without a place
 */
function assignWithinLimit(context: PlacementContext): number {
  const { cls, problem } = context;
  const { work, tooComplex, classLimit: limit } = problem;
  if (tooComplex.has(cls.spec)) return countWithoutPlace(context);
  const before = work.spent();
  try {
    const assigned = work.tryWithin(limit, () => ({ remaining: assignClass(context) }));
    if (assigned) return assigned.remaining;
  } finally {
    recordWork(cls, work.spent() - before, problem);
  }
  tooComplex.set(cls.spec, createTooMuchWorkReason('operations', limit));
  return countWithoutPlace(context);
}

/** Classes that take fewer operations are not recorded: all pods of a plan may be of such classes. */
const MANY_OPERATIONS = 20_000;

function recordWork({ pods }: PodClass, operations: number, { measuredWork }: Problem): void {
  if (operations < MANY_OPERATIONS) return;
  for (const pod of pods) measuredWork.set(pod, operations);
}

function countWithoutPlace({ cls, roomTracker, podGroups }: PlacementContext): number {
  let remaining = cls.pods.length;
  for (const counts of roomTracker.placed.values()) remaining -= counts.get(cls) ?? 0;
  for (const podGroup of podGroups) if (podGroup.cls === cls) remaining -= podGroup.count;
  return remaining;
}

/**
 * @returns the number of pods that no relaxation could place
 */
function assignClass(context: PlacementContext): number {
  const { pods, relaxations } = context.cls;
  let remaining = pods.length;
  for (let relaxed = 0; relaxed < relaxations.length && remaining > 0; ) {
    const level = listLevelFrom(relaxations, relaxed);
    const attempts = rankAttempts(context, level);
    while (remaining > 0) {
      const placed = placeNextPods(context, attempts, remaining);
      if (placed === 0) break;
      remaining -= placed;
    }
    relaxed += level.length;
  }
  return remaining;
}
