import { isCurrentlyReschedulable, isProvisionable } from '../../model/disruption-pods.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import type { Pod } from '../../model/pod.ts';
import type { ExistingBin } from '../nodes/existing-bins.ts';
import type { Problem } from '../problem.ts';
import { alternativesOf } from './alternatives.ts';

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
