import { type Pod, podKey, toObjectName } from '../../model/pods/pod.ts';
import { at, toVector } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/**
 * Builds Karpenter's queue: pods by CPU, then memory, both descending, then by age and by UID. Pods
 * of several workloads with equal requests therefore mix. Each pod is represented by its class.
 */
export function buildSchedulingQueue(classes: readonly PodClass[], { snapshot, columns }: Problem): PodClass[] {
  // Building keys for all pods of a large cluster would take longer than the rest of the plan.
  const waitingNames = new Set(classes.flatMap(({ pods }) => pods.map(toObjectName)));
  const named = snapshot.pods.filter(({ name }) => waitingNames.has(name));
  const podOf = new Map(named.map((pod) => [podKey(pod), pod]));
  const waiting = classes
    .filter(({ spec }) => spec.schedulingGates.length === 0 && !spec.resolved?.refusal)
    .flatMap((cls) => {
      const request = toVector(columns, cls.spec.requests);
      return cls.pods.map((key) => ({ cls, request, pod: podOf.get(key) }));
    });
  return waiting
    .toSorted(
      (a, b) =>
        at(b.request, 0) - at(a.request, 0) ||
        at(b.request, 1) - at(a.request, 1) ||
        createdAtOf(a.pod) - createdAtOf(b.pod) ||
        compareUids(a.pod, b.pod),
    )
    .map(({ cls }) => cls);
}

/** The pods of a capacity buffer are not in the snapshot: they come last among equal pods. */
const createdAtOf = (pod: Pod | undefined): number => pod?.createdAt ?? Number.MAX_SAFE_INTEGER;

const compareUids = (a: Pod | undefined, b: Pod | undefined): number => {
  const [first = '', second = ''] = [a?.uid, b?.uid];
  return first < second ? -1 : first > second ? 1 : 0;
};

/**
 * Places the items in order. Items that find no place are tried again after the others, until a
 * whole round places none.
 *
 * @returns the number of placed items
 */
export function placeAll<T>(queue: readonly T[], tryPlace: (one: T) => boolean): number {
  let waiting = queue;
  for (;;) {
    const unplaced = waiting.filter((one) => !tryPlace(one));
    if (unplaced.length === 0 || unplaced.length === waiting.length) return queue.length - unplaced.length;
    waiting = unplaced;
  }
}
