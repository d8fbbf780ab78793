import type { ExistingBin } from '../input/existing-nodes.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import type { PodOnBin } from '../topology/running-pod-counts.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Claim } from './claim.ts';
import { domainCounts } from './domain-counts.ts';
import { type Luck, luckOf } from './luck.ts';
import { openClaims } from './open-claims.ts';
import { queueOf, serve } from './queue.ts';
import { type RequirementPaths, requirementPaths } from './requirement-paths.ts';
import { runningNodes } from './running-nodes.ts';
import { type Wish, wishesOf } from './wishes.ts';

/** What one run of Karpenter's scheduler would come to. */
export interface Foreseen {
  /** Pods that it finds a place for, on what runs or on new nodes. */
  readonly pods: number;
  /** Of the new nodes, in USD per hour. */
  readonly hourlyUsd: number;
  /** In the order in which they were made. */
  readonly placements: readonly Placement[];
}

/** What a pod was content with, and where: on what runs, or on a node to be, as it is in the end. */
export type Placement =
  | { readonly wish: Wish; readonly bin: ExistingBin }
  | { readonly wish: Wish; readonly claim: Claim };

/**
 * What Karpenter would make of a batch, pod by pod: onto the first node that runs and takes the pod,
 * else onto the emptiest of the nodes to be, else onto a new one of the heaviest pool. A node to be
 * keeps every type and zone that no pod on it rules out, and costs as much as the cheapest.
 *
 * Some of its choices are drawn, zones above all. So there are as many runs as asked for, or one where
 * nothing was drawn. Reserved capacity and devices are left out.
 */
export function foresee(
  problem: Problem,
  classes: readonly PodClass[],
  moving: readonly PodOnBin[],
  runs: number,
): Foreseen[] {
  const topology = topologyOf(problem, classes, moving);
  const wishes = new Map(classes.map((cls) => [cls, wishesOf(cls, topology, problem)]));
  const queue = queueOf(classes, problem).map((cls) => wishes.get(cls) ?? []);
  const paths = requirementPaths(problem);
  const found: Foreseen[] = [];
  for (let run = 0; run < runs; run++) {
    const luck = luckOf(run);
    found.push(runOnce(problem, queue, luck, paths));
    if (!luck.wasAsked()) break;
  }
  return found;
}

/** A run costs pods times nodes to be; and no more pods are rehearsed than foreseen. */
const MOST_PODS = 400;

/** Whether it is known how Karpenter goes about the batch, and not too much work to do the same. */
export function isForeseeable(
  { reservations, devices }: Problem,
  classes: readonly PodClass[],
): boolean {
  if (reservations || devices) return false;
  return classes.reduce((total, { pods }) => total + pods.length, 0) <= MOST_PODS;
}

function runOnce(
  problem: Problem,
  queue: readonly (readonly Wish[])[],
  luck: Luck,
  paths: RequirementPaths,
): Foreseen {
  const run = { problem, paths, counts: domainCounts(luck) };
  const nodes = runningNodes(run);
  const claims = openClaims(run);
  const placements: Placement[] = [];
  const place = (wish: Wish): boolean => {
    const bin = nodes.join(wish);
    const claim = bin ? undefined : (claims.join(wish) ?? claims.open(wish));
    if (bin) placements.push({ wish, bin });
    else if (claim) placements.push({ wish, claim });
    return bin !== undefined || claim !== undefined;
  };
  const pods = serve(queue, (wishes) => wishes.some(place));
  return { pods, hourlyUsd: claims.hourlyUsd(), placements };
}
