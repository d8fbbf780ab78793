import { isTerminating, listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';

/** The default grace period of Kubernetes. */
const MIN_SHUTDOWN_MS = 30 * SECOND_MS;
const REPLICA_GAP_MS = 10 * SECOND_MS;

/** The time from the notice to the end of an instance. */
export interface NoticePeriod {
  readonly deadline: EpochMs;
  /** When the controller began to drain for it. */
  readonly noticedAt: EpochMs;
}

/** A pod on a node that EC2 takes soon. */
export interface InterruptedPod extends NoticePeriod {
  readonly pod: Pod;
}

/**
 * Computes when pods that could not be evicted are deleted before EC2 takes the instance. A pod
 * gets its grace period to shut down, at most half of the notice. Pods that belong together, by
 * their owner or by a budget, are deleted one after the other, the last of them at that time, so
 * that replacements can start in between; none of them in the first quarter of the notice.
 *
 * Nodes are drained apart from each other. If EC2 takes several of them at the same time, each drain
 * computes the same order for the pods of a budget on all of them.
 *
 * @param elsewhere - pods on other interrupted nodes that share a budget with `pods`
 */
export function scheduleDeletionsBeforeInterruption(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
  period: NoticePeriod,
  elsewhere: readonly InterruptedPod[] = [],
): ReadonlyMap<Pod, EpochMs> {
  const times = new Map<Pod, EpochMs>();
  const interrupted = [...pods.map((pod) => ({ pod, ...period })), ...elsewhere];
  const remaining = interrupted.filter(({ pod }) => !isTerminating(pod));
  for (const group of groupByAvailability(remaining, budgets)) {
    let next = Number.POSITIVE_INFINITY;
    for (const one of group.toSorted(latestLast).reverse()) {
      const latest = computeLatest(one);
      next = Math.min(latest, next - REPLICA_GAP_MS);
      times.set(one.pod, Math.min(latest, Math.max(next, computeEarliest(one))));
    }
  }
  return times;
}

const computeEarliest = ({ deadline, noticedAt }: NoticePeriod): EpochMs => noticedAt + (deadline - noticedAt) / 4;

function computeLatest({ pod, deadline, noticedAt }: InterruptedPod): EpochMs {
  const maxShutdownMs = Math.max(MIN_SHUTDOWN_MS, (deadline - noticedAt) / 2);
  return deadline - Math.min(pod.spec.terminationGracePeriodMs, maxShutdownMs);
}

const latestLast = (a: InterruptedPod, b: InterruptedPod): number =>
  computeLatest(a) - computeLatest(b) || (a.pod.name < b.pod.name ? -1 : 1);

/** Groups pods that share their owner or a budget, also through other pods. */
function groupByAvailability(
  pods: readonly InterruptedPod[],
  budgets: readonly PodDisruptionBudget[],
): readonly (readonly InterruptedPod[])[] {
  const groups: { readonly keys: Set<string>; readonly pods: InterruptedPod[] }[] = [];
  for (const one of pods) {
    const keys = listGroupKeys(one.pod, budgets);
    const merged = { keys: new Set(keys), pods: [one] };
    for (const group of groups.filter((other) => keys.some((key) => other.keys.has(key)))) {
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
