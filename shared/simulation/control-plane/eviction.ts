import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { EvictionOutcome } from '../../ports/cluster.ts';
import type { ApiServer } from './api-server.ts';
import { findCurrentPod, terminatePod } from './api-server.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';

/**
 * Evicts a pod by the rules of the eviction API.
 *
 * @see kubernetes, registry/core/pod/storage/eviction.go
 */
export function evict(api: ApiServer, budgets: DisruptionBudgets, requestedPod: Pod, now: EpochMs): EvictionOutcome {
  const pod = findCurrentPod(api.pods, requestedPod);
  if (!pod || isTerminal(pod)) return { outcome: 'gone' };
  if (pod.deletionAt !== undefined) return { outcome: 'evicted' };

  // Budgets do not protect pending pods.
  const covering = pod.phase === 'Pending' ? [] : budgets.covering(pod);
  if (covering.length > 1 || !covering.every((budget) => allowsEviction(budget, pod))) {
    return { outcome: 'refused', pdb: covering.map(({ name }) => name).join(', ') };
  }
  terminatePod(api.pods, pod, now, pod.spec.terminationGracePeriodMs);
  return { outcome: 'evicted' };
}

function allowsEviction(budget: PodDisruptionBudget, { ready }: Pod): boolean {
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = budget;
  if (ready) return disruptionsAllowed > 0;
  if (budget.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return disruptionsAllowed > 0 || (desiredHealthy > 0 && currentHealthy >= desiredHealthy);
}
