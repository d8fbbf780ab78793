import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import type { PodOnBin } from '../topology/running-pods.ts';
import { topologyOf } from '../topology/topology.ts';
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
}

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

function runOnce(
  problem: Problem,
  queue: readonly (readonly Wish[])[],
  luck: Luck,
  paths: RequirementPaths,
): Foreseen {
  const run = { problem, paths, counts: domainCounts(luck) };
  const nodes = runningNodes(run);
  const claims = openClaims(run);
  const place = (wish: Wish) => nodes.join(wish) || claims.join(wish) || claims.open(wish);
  const pods = serve(queue, (wishes) => wishes.some(place));
  return { pods, hourlyUsd: claims.hourlyUsd() };
}
