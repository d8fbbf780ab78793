import { isCurrentlyReschedulable, isProvisionable } from '../../model/disruption-pods.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import { type Pod, podKey } from '../../model/pod.ts';
import type { ExistingBin } from './existing-nodes.ts';
import type { Problem } from './problem.ts';
import { alternativesOf } from '../pods/relaxations.ts';
import type { EpochMs } from '../../model/time.ts';
import { shortHash } from '../data-structures/short-hash.ts';

/** Pending pods first, then pods that must leave their nodes. */
export function podsToPlace(problem: Problem): Pod[] {
  const pending = problem.snapshot.pods.filter((pod) => isProvisionable(pod) && !isOptedOut(pod));
  const leaving = problem.bins.filter((bin) => bin.leaving);
  return [...pending, ...leaving.flatMap((bin) => podsToMove(bin, problem))];
}

/**
 * Pods that ask for nodes without a NodePool want none of ours: nothing is planned, nobody is told.
 *
 * @see Karpenter, which looks at the best-liked way to satisfy the pod
 */
export function isOptedOut({ spec }: Pick<Pod, 'spec'>): boolean {
  const pool = alternativesOf(spec)[0]?.requirements.get(NODEPOOL_LABEL);
  return pool !== undefined && !pool.complement && pool.values.size === 0;
}

/** Pods of a bin that will come back elsewhere when it goes. */
export const podsToMove = ({ pods }: ExistingBin, { snapshot }: Problem): Pod[] =>
  pods.filter((pod) =>
    isCurrentlyReschedulable(pod, snapshot.podDisruptionBudgets, snapshot.takenAt),
  );

/**
 * How many workloads one plan takes on. The work of a plan grows with them, not with their pods: so
 * many take a second or two, of the minute that a planner has.
 */
export const MOST_WORKLOADS = 25_000;

interface Turn {
  readonly pods: readonly Pod[];
  /** Left to the next plan, unseen. */
  readonly later: readonly Pod[];
}

/**
 * The pods that one plan takes on, whole workloads at a time. Half of its room goes to the most
 * important and those that wait longest, the other half is drawn by lot, and each turn has lots of
 * its own: whoever cannot be placed, and comes first every time, starves nobody. Pods of nodes that
 * go are always taken on: others may stand by them, and must not be led to where they no longer are.
 *
 * @param now - tells the turns apart
 */
export function podsOfTurn(pods: readonly Pod[], now: EpochMs, most: number): Turn {
  const waiting = pods.filter(({ nodeName }) => nodeName === undefined);
  const workloads = [...Map.groupBy(waiting, workloadOf)].map(([name, members]): Workload => {
    const priority = members.reduce((top, { spec }) => Math.max(top, spec.priority), -Infinity);
    const since = members.reduce((first, { createdAt }) => Math.min(first, createdAt), Infinity);
    return { name, members, priority, since };
  });
  if (workloads.length <= most) return { pods, later: [] };

  const byRight = workloads.toSorted(
    (a, b) => b.priority - a.priority || a.since - b.since || (a.name < b.name ? -1 : 1),
  );
  const first = Math.ceil(most / 2);
  const byLot = byRight
    .slice(first)
    .map((workload) => ({ workload, lot: shortHash(`${now} ${workload.name}`) }))
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1));
  const drawn = byLot.slice(0, most - first).map(({ workload }) => workload);
  const taken = new Set([...byRight.slice(0, first), ...drawn].flatMap(({ members }) => members));
  return {
    pods: pods.filter((pod) => pod.nodeName !== undefined || taken.has(pod)),
    later: waiting.filter((pod) => !taken.has(pod)),
  };
}

interface Workload {
  readonly name: string;
  readonly members: readonly Pod[];
  readonly priority: number;
  readonly since: EpochMs;
}

const workloadOf = (pod: Pod): string => pod.owner?.uid ?? podKey(pod);
