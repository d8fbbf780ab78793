import { isCurrentlyReschedulable, isProvisionable } from '../model/disruption-pods.ts';
import type { Pod } from '../model/pod.ts';
import type { ExistingBin } from './existing-bins.ts';
import type { Problem } from './problem.ts';

/** Pending pods first, then pods that must leave their nodes. */
export function podsToPlace(problem: Problem): Pod[] {
  const pending = problem.snapshot.pods.filter(isProvisionable);
  const leaving = problem.bins.filter((bin) => bin.leaving);
  return [...pending, ...leaving.flatMap((bin) => podsToMove(bin, problem))];
}

/** Pods of a bin that will come back elsewhere when it goes. */
export const podsToMove = ({ pods }: ExistingBin, { snapshot }: Problem): Pod[] =>
  pods.filter((pod) =>
    isCurrentlyReschedulable(pod, snapshot.podDisruptionBudgets, snapshot.takenAt),
  );
