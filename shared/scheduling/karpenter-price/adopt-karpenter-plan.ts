import type { AssignedBatch } from '../assignment/assign-batch.ts';
import { listPoolOptions, type PodGroup } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import { pickFewestNodes } from '../packing/cheapest-packing.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import type { PackingState } from '../packing/new-nodes/packing-state.ts';
import { resolveLimits } from '../packing/new-nodes/resolve-limits.ts';
import { computeCost, isCheaper, type Packing } from '../packing/packing.ts';
import { countPods, type PodClass } from '../pods/pod-classes.ts';
import { createTopology } from '../topology/topology.ts';
import { replayPlacements } from './replay-placements.ts';
import type { KarpenterRun } from './simulate-karpenter.ts';

/** An assignment and the packing of its pod groups. */
export interface PackedBatch {
  readonly assigned: AssignedBatch;
  readonly packing: Packing;
}

/**
 * Converts the cheapest simulated run that places every pod, if its nodes cost less than ours, or
 * nearly as little with fewer nodes. Returns undefined if there is no such run, or if all of them
 * break one of our rules.
 */
export function adoptBetterKarpenterPlan(
  karpenterRuns: readonly KarpenterRun[],
  { assigned, packing }: PackedBatch,
  classes: readonly PodClass[],
): PackedBatch | undefined {
  const totalPods = countPods(classes);
  // The price is compared with our cost: a run with fewer nodes may be better at a higher price.
  const candidates = karpenterRuns
    .filter(({ pods, hourlyUsd }) => pods === totalPods && hourlyUsd <= packing.costUsd)
    .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd);
  for (const run of candidates) {
    const adopted = toPackedBatch(run, assigned, classes);
    if (adopted && isBetter(adopted.packing, packing)) return adopted;
  }
  return undefined;
}

/**
 * Converts the cheapest simulated run that places every pod; undefined if there is none, or if it
 * breaks one of our rules.
 */
export function convertKarpenterPlan(
  karpenterRuns: readonly KarpenterRun[],
  assigned: AssignedBatch,
  classes: readonly PodClass[],
): PackedBatch | undefined {
  const totalPods = countPods(classes);
  const [cheapest] = karpenterRuns.toSorted((a, b) => b.pods - a.pods || a.hourlyUsd - b.hourlyUsd);
  return cheapest?.pods === totalPods ? toPackedBatch(cheapest, assigned, classes) : undefined;
}

const isBetter = (karpenter: Packing, ours: Packing): boolean =>
  isCheaper(karpenter.hourlyUsd, ours.hourlyUsd) || pickFewestNodes([ours, karpenter]) !== ours;

/**
 * Builds the packing with the nodes and pods of the run; undefined if a pod may not be where the
 * run put it.
 */
function toPackedBatch(
  { placements }: KarpenterRun,
  { problem, moving }: AssignedBatch,
  classes: readonly PodClass[],
): PackedBatch | undefined {
  const topology = createTopology(problem, classes, moving);
  const replayed = replayPlacements(placements, topology, problem);
  if (!replayed) return undefined;
  const { placed, packingState } = replayed;
  if (packingState.newNodes.some((newNode) => isTooLight(newNode, problem))) return undefined;
  resolveLimits(packingState);

  const podGroups = replayed.podGroups.map((podGroup) => ({
    ...podGroup,
    count: countPodsOf(podGroup, packingState),
  }));
  const assigned: AssignedBatch = {
    ...{ placed, podGroups, problem, topology, moving },
    unassigned: new Map(),
  };
  const nothingUnplaced = { unplaced: new Map(), deferred: new Map(), unplacedPods: 0 };
  return { assigned, packing: { packingState, ...nothingUnplaced, ...computeCost(packingState) } };
}

/**
 * True if each pod of the node could have been on a node of a pool with a higher weight, in any
 * zone, by any required term. The limits of that pool are not considered.
 */
const isTooLight = ({ template, podCounts }: NewNode, problem: Problem): boolean =>
  podCounts.keys().every(({ cls, relaxationIndex }) => {
    const level = cls.relaxations[relaxationIndex]?.level;
    return cls.relaxations
      .filter((relaxation) => relaxation.level === level)
      .flatMap((relaxation) => listPoolOptions(cls, relaxation, new Map(), problem))
      .some((option) => option.template.pool.weight > template.pool.weight);
  });

const countPodsOf = (podGroup: PodGroup, { newNodes }: PackingState): number =>
  newNodes.reduce((total, { podCounts }) => total + (podCounts.get(podGroup) ?? 0), 0);
