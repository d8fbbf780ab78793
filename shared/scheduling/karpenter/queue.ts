import { type Pod, podKey } from '../../model/pod.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import { at, toVector } from '../data-structures/resource-vectors.ts';

/**
 * Pods as Karpenter takes them, each by its class: most CPU first, then most memory, then the oldest,
 * then by UID, which is to say that equal pods of several workloads come mixed.
 */
export function queueOf(classes: readonly PodClass[], { snapshot, columns }: Problem): PodClass[] {
  // To write the keys of all that runs in a large cluster would take longer than the rest of a plan.
  const names = new Set(classes.flatMap(({ pods }) => pods.map(nameIn)));
  const named = snapshot.pods.filter(({ name }) => names.has(name));
  const podOf = new Map(named.map((pod) => [podKey(pod), pod]));
  const waiting = classes
    .filter(({ spec }) => spec.schedulingGates.length === 0 && !spec.settled?.refusal)
    .flatMap((cls) => {
      const request = toVector(columns, cls.spec.requests);
      return cls.pods.map((key) => ({ cls, request, pod: podOf.get(key) }));
    });
  return waiting
    .toSorted(
      (a, b) =>
        at(b.request, 0) - at(a.request, 0) ||
        at(b.request, 1) - at(a.request, 1) ||
        comingAt(a.pod) - comingAt(b.pod) ||
        compareUids(a.pod, b.pod),
    )
    .map(({ cls }) => cls);
}

/** @param key - `namespace/name` */
const nameIn = (key: string): string => key.slice(key.indexOf('/') + 1);

/** Pods of a buffer are in no snapshot: they come last among equals. */
const comingAt = (pod: Pod | undefined): number => pod?.createdAt ?? Number.MAX_SAFE_INTEGER;

const compareUids = (a: Pod | undefined, b: Pod | undefined): number => {
  const [first = '', second = ''] = [a?.uid, b?.uid];
  return first < second ? -1 : first > second ? 1 : 0;
};

/**
 * Serves who is first; who finds no place goes to the end, for it may wait for a pod behind it. Ends
 * when a whole round has placed nobody.
 *
 * @returns how many found a place
 */
export function serve<T>(queue: readonly T[], isPlaced: (one: T) => boolean): number {
  let waiting = queue;
  for (;;) {
    const left = waiting.filter((one) => !isPlaced(one));
    if (left.length === 0 || left.length === waiting.length) return queue.length - left.length;
    waiting = left;
  }
}
