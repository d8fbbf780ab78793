import type { PlacementProblem } from '../devices/device-tracker.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { countPods, type PodClass } from '../pods/pod-classes.ts';
import type { PodOnNode } from '../topology/running-pod-counts.ts';
import { createTopology } from '../topology/topology.ts';
import { createDomainCounts } from './domain-counts.ts';
import { createInFlightClaims, type InFlightClaim } from './in-flight-claims.ts';
import { createMapIterationOrder, type MapIterationOrder } from './map-iteration-order.ts';
import { listPodRequirements, type PodRequirements } from './pod-requirements.ts';
import { createRequirementCache, type RequirementCache } from './requirement-cache.ts';
import { createRunningNodes } from './running-nodes.ts';
import { buildSchedulingQueue, placeAll } from './scheduling-queue.ts';

/** The result of one simulated run of Karpenter's scheduler. */
export interface KarpenterRun {
  /** Number of pods placed on existing or new nodes. */
  readonly pods: number;
  /** Price of the new nodes, in USD per hour. */
  readonly hourlyUsd: number;
  /** In the order of placement. */
  readonly placements: readonly KarpenterPlacement[];
}

/**
 * A placed pod: the requirements by which it was placed, and its existing node or its claim in the
 * final state.
 */
export type KarpenterPlacement =
  | { readonly requirements: PodRequirements; readonly node: ExistingNode }
  | { readonly requirements: PodRequirements; readonly claim: InFlightClaim };

/**
 * Simulates how Karpenter 1.14 schedules a batch, pod by pod: on the first existing node that takes
 * the pod, else on the in-flight claim with the fewest pods, else on a new claim of the pool with
 * the highest weight. A claim keeps every type and zone that none of its pods rules out, and costs
 * as much as its cheapest offering.
 *
 * Karpenter takes some choices, above all zones, from the iteration order of Go maps. Each run uses
 * another order. Reserved capacity and devices are not simulated.
 *
 * @param runs - number of runs; only one is made if it did not depend on map order, and up to three
 *   times as many if their prices differ much
 */
export function simulateKarpenter(
  problem: Problem,
  classes: readonly PodClass[],
  moving: readonly PodOnNode[],
  runs: number,
): KarpenterRun[] {
  const topology = createTopology(problem, classes, moving);
  const requirementsByClass = new Map(classes.map((cls) => [cls, listPodRequirements(cls, topology, problem)]));
  const queue = buildSchedulingQueue(classes, problem).map((cls) => requirementsByClass.get(cls) ?? []);
  const cache = createRequirementCache(problem);
  const results: KarpenterRun[] = [];
  for (let run = 0; run < runs || (run < MAX_RUNS_FACTOR * runs && differWidely(results)); run++) {
    const mapOrder = createMapIterationOrder(run);
    results.push(runOnce(problem, queue, mapOrder, cache));
    if (!mapOrder.wasUsed()) break;
  }
  return results;
}

/** If the prices of the runs differ much, the cheapest run may not be among them yet. */
const MAX_RUNS_FACTOR = 3;
const WIDE_SHARE = 0.03;

function differWidely(runs: readonly KarpenterRun[]): boolean {
  const prices = runs.map(({ hourlyUsd }) => hourlyUsd);
  return Math.max(...prices) > Math.min(...prices) * (1 + WIDE_SHARE);
}

/** A run takes pods times claims. Larger batches are not repaired either. */
const MAX_PODS = 400;

/** True if the batch is small enough and free of what the simulation does not model. */
export function canSimulateKarpenter(
  { reservations, devices }: PlacementProblem,
  classes: readonly PodClass[],
): boolean {
  if (reservations || devices) return false;
  return countPods(classes) <= MAX_PODS;
}

function runOnce(
  problem: Problem,
  queue: readonly (readonly PodRequirements[])[],
  mapOrder: MapIterationOrder,
  cache: RequirementCache,
): KarpenterRun {
  const run = { problem, cache, counts: createDomainCounts(mapOrder) };
  const nodes = createRunningNodes(run);
  const claims = createInFlightClaims(run);
  const placements: KarpenterPlacement[] = [];
  const tryPlace = (requirements: PodRequirements): boolean => {
    const node = nodes.placePod(requirements);
    const claim = node ? undefined : (claims.placePod(requirements) ?? claims.open(requirements));
    if (node) placements.push({ requirements, node });
    else if (claim) placements.push({ requirements, claim });
    return node !== undefined || claim !== undefined;
  };
  const pods = placeAll(queue, (relaxations) => relaxations.some(tryPlace));
  return { pods, hourlyUsd: claims.hourlyUsd(), placements };
}
