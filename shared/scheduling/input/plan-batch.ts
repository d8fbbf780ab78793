import { shortHash } from '../../model/hash.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import { isProvisionable, isReschedulable } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { isMovedFromNode } from '../../model/pods/restarts.ts';
import type { EpochMs } from '../../model/time.ts';
import { listFirstRequirements } from '../pods/relaxations.ts';
import type { ExistingNode } from './existing-nodes.ts';
import type { Problem } from './problem.ts';

/** Lists the pending pods, followed by the pods that must leave their nodes. */
export function listPodsToPlace(problem: Problem): Pod[] {
  const pending = problem.snapshot.pods.filter((pod) => isProvisionable(pod) && !isOptedOut(pod));
  const leaving = problem.existingNodes.filter((node) => node.leaving);
  return [...pending, ...leaving.flatMap((node) => listPodsToMove(node, problem))];
}

/**
 * True for pods that require a node without a NodePool label: they are neither planned nor
 * reported.
 *
 * @see Karpenter, which checks the relaxation with all preferences
 */
export function isOptedOut({ spec }: Pick<Pod, 'spec'>): boolean {
  const pool = listFirstRequirements(spec).get(NODEPOOL_LABEL);
  return pool !== undefined && !pool.complement && pool.values.size === 0;
}

/**
 * Lists the pods of a node that will be recreated when the node is removed. Pods that a budget or
 * do-not-disrupt protects are among them only if EC2 takes the node, because they are deleted before
 * it ends, or if their Deployment is restarted.
 */
export const listPodsToMove = ({ pods, claim }: ExistingNode, { snapshot }: Problem): Pod[] => {
  const isTaken = claim?.interruption !== undefined && claim.drainDeadline !== undefined;
  return pods.filter((pod) => (isTaken ? isReschedulable(pod) : isMovedFromNode(pod, snapshot)));
};

/**
 * Maximum number of workloads in one plan. The work of a plan grows with its workloads, not with
 * their pods: this many take one or two seconds of the minute that a planner has.
 */
export const MAX_WORKLOADS = 25_000;

interface PlanBatch {
  readonly pods: readonly Pod[];
  /** Pods that are left to the next plan. */
  readonly deferred: readonly Pod[];
}

/**
 * Selects the pods of one plan, in whole workloads. Half of the workloads are those with the
 * highest priority and the longest wait. For the other half namespaces take turns, so that the pods of
 * one namespace cannot keep those of another out of the plan; within a namespace it is chosen at random,
 * differently for each plan, so that workloads which cannot be placed do not starve the others. Pods of
 * nodes that are being removed are always included: pods with affinity to them must not be placed where
 * they no longer are.
 *
 * @param now - seed of the random choice
 */
export function selectPlanBatch(pods: readonly Pod[], now: EpochMs, maxWorkloads: number): PlanBatch {
  const waiting = pods.filter(({ nodeName }) => nodeName === undefined);
  const workloads = groupByWorkload(waiting);
  if (workloads.length <= maxWorkloads) return { pods, deferred: [] };

  const byPriority = workloads.toSorted(
    (a, b) => b.priority - a.priority || a.oldest - b.oldest || (a.name < b.name ? -1 : 1),
  );
  const prioritized = Math.ceil(maxWorkloads / 2);
  const alternating = alternateNamespaces(byPriority.slice(prioritized), now);
  const selected = new Set(
    [...byPriority.slice(0, prioritized), ...alternating.slice(0, maxWorkloads - prioritized)].flatMap(
      ({ members }) => members,
    ),
  );
  return {
    pods: pods.filter((pod) => pod.nodeName !== undefined || selected.has(pod)),
    deferred: waiting.filter((pod) => !selected.has(pod)),
  };
}

/** Orders workloads so that each namespace has one before any has two; within a namespace at random. */
function alternateNamespaces(workloads: readonly Workload[], now: EpochMs): readonly Workload[] {
  const byNamespace = Map.groupBy(workloads, ({ members }) => members[0]?.namespace ?? '');
  return [...byNamespace.values()]
    .flatMap((own) =>
      own
        .map((workload) => ({ workload, randomKey: shortHash(`${now} ${workload.name}`) }))
        .toSorted((a, b) => (a.randomKey < b.randomKey ? -1 : 1))
        .map((drawn, rank) => ({ ...drawn, rank })),
    )
    .toSorted((a, b) => a.rank - b.rank || (a.randomKey < b.randomKey ? -1 : 1))
    .map(({ workload }) => workload);
}

/** The pods of one owner. */
export interface Workload {
  readonly name: string;
  readonly members: readonly Pod[];
  readonly priority: number;
  readonly oldest: EpochMs;
}

export const groupByWorkload = (pods: readonly Pod[]): readonly Workload[] =>
  [...Map.groupBy(pods, toWorkloadId)].map(([name, members]): Workload => {
    const priority = members.reduce((top, { spec }) => Math.max(top, spec.priority), -Infinity);
    const oldest = members.reduce((earliest, { createdAt }) => Math.min(earliest, createdAt), Infinity);
    return { name, members, priority, oldest };
  });

const toWorkloadId = (pod: Pod): string => pod.owner?.uid ?? podKey(pod);
