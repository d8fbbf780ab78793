import { NODEPOOL_LABEL } from '../../model/labels.ts';
import { isCurrentlyReschedulable, isProvisionable } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import { shortHash } from '../data-structures/short-hash.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import type { ExistingBin } from './existing-nodes.ts';
import type { Problem } from './problem.ts';

/** Pending pods first, then pods that must leave their nodes. */
export function listPodsToPlace(problem: Problem): Pod[] {
  const pending = problem.snapshot.pods.filter((pod) => isProvisionable(pod) && !isOptedOut(pod));
  const leaving = problem.bins.filter((bin) => bin.leaving);
  return [...pending, ...leaving.flatMap((bin) => listPodsToMove(bin, problem))];
}

/**
 * Pods that ask for nodes without a NodePool want none of ours: nothing is planned, nobody is told.
 *
 * @see Karpenter, which looks at the best-liked way to satisfy the pod
 */
export function isOptedOut({ spec }: Pick<Pod, 'spec'>): boolean {
  const pool = listRelaxations(spec)[0]?.requirements.get(NODEPOOL_LABEL);
  return pool !== undefined && !pool.complement && pool.values.size === 0;
}

/** Pods of a bin that will come back elsewhere when it goes. */
export const listPodsToMove = ({ pods }: ExistingBin, { snapshot }: Problem): Pod[] =>
  pods.filter((pod) =>
    isCurrentlyReschedulable(pod, snapshot.podDisruptionBudgets, snapshot.takenAt),
  );

/**
 * How many workloads one plan takes on. The work of a plan grows with them, not with their pods: so
 * many take a second or two, of the minute that a planner has.
 */
export const MAX_WORKLOADS = 25_000;

interface PlanBatch {
  readonly pods: readonly Pod[];
  /** Left to the next plan, unseen. */
  readonly deferred: readonly Pod[];
}

/**
 * The pods that one plan takes on, whole workloads at a time. Half of its room goes to the most
 * important and those that wait longest, the other half is drawn by lot, and each turn has lots of
 * its own: whoever cannot be placed, and comes first every time, starves nobody. Pods of nodes that
 * go are always taken on: others may stand by them, and must not be led to where they no longer are.
 *
 * @param now - tells the turns apart
 */
export function selectPlanBatch(
  pods: readonly Pod[],
  now: EpochMs,
  maxWorkloads: number,
): PlanBatch {
  const waiting = pods.filter(({ nodeName }) => nodeName === undefined);
  const workloads = [...Map.groupBy(waiting, toWorkloadId)].map(([name, members]): Workload => {
    const priority = members.reduce((top, { spec }) => Math.max(top, spec.priority), -Infinity);
    const oldest = members.reduce(
      (prioritized, { createdAt }) => Math.min(prioritized, createdAt),
      Infinity,
    );
    return { name, members, priority, oldest };
  });
  if (workloads.length <= maxWorkloads) return { pods, deferred: [] };

  const byPriority = workloads.toSorted(
    (a, b) => b.priority - a.priority || a.oldest - b.oldest || (a.name < b.name ? -1 : 1),
  );
  const prioritized = Math.ceil(maxWorkloads / 2);
  const byRandomOrder = byPriority
    .slice(prioritized)
    .map((workload) => ({ workload, randomKey: shortHash(`${now} ${workload.name}`) }))
    .toSorted((a, b) => (a.randomKey < b.randomKey ? -1 : 1));
  const selectedAtRandom = byRandomOrder
    .slice(0, maxWorkloads - prioritized)
    .map(({ workload }) => workload);
  const selected = new Set(
    [...byPriority.slice(0, prioritized), ...selectedAtRandom].flatMap(({ members }) => members),
  );
  return {
    pods: pods.filter((pod) => pod.nodeName !== undefined || selected.has(pod)),
    deferred: waiting.filter((pod) => !selected.has(pod)),
  };
}

interface Workload {
  readonly name: string;
  readonly members: readonly Pod[];
  readonly priority: number;
  readonly oldest: EpochMs;
}

const toWorkloadId = (pod: Pod): string => pod.owner?.uid ?? podKey(pod);
