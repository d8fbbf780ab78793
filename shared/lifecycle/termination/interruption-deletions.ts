import { isTerminating, listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';

/** The default grace period of Kubernetes. */
const MIN_SHUTDOWN_MS = 30 * SECOND_MS;
const REPLICA_GAP_MS = 10 * SECOND_MS;

/**
 * Computes when pods that could not be evicted are deleted before EC2 takes the instance. A pod
 * gets its grace period to shut down, at most half of the notice. Pods that belong together, by
 * their owner or by a budget, are deleted one after the other, the last of them at that time, so
 * that replacements can start in between; none of them in the first quarter of the notice.
 */
export function scheduleDeletionsBeforeInterruption(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
  { deadline, noticedAt }: { readonly deadline: EpochMs; readonly noticedAt: EpochMs },
): ReadonlyMap<Pod, EpochMs> {
  const noticeMs = deadline - noticedAt;
  const maxShutdownMs = Math.max(MIN_SHUTDOWN_MS, noticeMs / 2);
  const latestFor = ({ spec }: Pod): EpochMs =>
    deadline - Math.min(spec.terminationGracePeriodMs, maxShutdownMs);
  const latestLast = (a: Pod, b: Pod): number =>
    latestFor(a) - latestFor(b) || (a.name < b.name ? -1 : 1);

  const times = new Map<Pod, EpochMs>();
  const remaining = pods.filter((pod) => !isTerminating(pod));
  for (const group of groupByAvailability(remaining, budgets)) {
    let next = Number.POSITIVE_INFINITY;
    for (const pod of group.toSorted(latestLast).reverse()) {
      const latest = latestFor(pod);
      next = Math.min(latest, next - REPLICA_GAP_MS);
      times.set(pod, Math.min(latest, Math.max(next, noticedAt + noticeMs / 4)));
    }
  }
  return times;
}

/** Groups pods that share their owner or a budget, also through other pods. */
function groupByAvailability(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
): readonly (readonly Pod[])[] {
  const groups: { readonly keys: Set<string>; readonly pods: Pod[] }[] = [];
  for (const pod of pods) {
    const keys = listGroupKeys(pod, budgets);
    const merged = { keys: new Set(keys), pods: [pod] };
    for (const group of groups.filter((one) => keys.some((key) => one.keys.has(key)))) {
      for (const key of group.keys) merged.keys.add(key);
      merged.pods.push(...group.pods);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push(merged);
  }
  return groups.map((group) => group.pods);
}

const listGroupKeys = (pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly string[] => [
  `owner ${pod.owner?.uid ?? pod.uid}`,
  ...listMatchingBudgets(pod, budgets).map(({ namespace, name }) => `budget ${namespace}/${name}`),
];
