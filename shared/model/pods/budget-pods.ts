import { isTerminal, listMatchingBudgets } from './disruption-pods.ts';
import { type Pod, type PodKey, podKey } from './pod.ts';
import type { PodDisruptionBudget } from './workload.ts';

/** A budget with the pods that its selector matches now. */
export interface BudgetPods {
  readonly budget: PodDisruptionBudget;
  /** The number of matching pods that have not finished. */
  readonly pods: number;
  readonly unready: readonly PodKey[];
}

/**
 * Counts the pods of each budget that selects one of some pods.
 *
 * @param of - the pods whose budgets are wanted, such as those on a node
 * @param all - all pods of the cluster
 */
export function countBudgetPods(
  of: readonly Pod[],
  all: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
): readonly BudgetPods[] {
  const relevant = new Set(of.flatMap((pod) => listMatchingBudgets(pod, budgets)));
  if (relevant.size === 0) return [];

  const active = all.filter((pod) => !isTerminal(pod));
  return [...relevant].map((budget) => {
    const matching = active.filter((pod) => listMatchingBudgets(pod, budgets).includes(budget));
    const unready = matching.filter(({ ready }) => !ready).map(podKey);
    return { budget, pods: matching.length, unready };
  });
}
