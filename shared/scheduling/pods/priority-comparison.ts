import type { PodClass } from './pod-classes.ts';

/** Unplaced pods by class. */
export type UnplacedPods = Iterable<readonly [PodClass, number]>;

/**
 * Compares at the highest priority at which the counts differ: negative if `a` leaves fewer pods
 * unplaced.
 */
export function compareUnplacedByPriority(a: UnplacedPods, b: UnplacedPods): number {
  const differences = new Map<number, number>();
  const addCounts = (unplaced: UnplacedPods, sign: number) => {
    for (const [{ spec }, pods] of unplaced) {
      differences.set(spec.priority, (differences.get(spec.priority) ?? 0) + sign * pods);
    }
  };
  addCounts(a, 1);
  addCounts(b, -1);
  const decisive = [...differences]
    .filter(([, difference]) => difference !== 0)
    .toSorted(([one], [other]) => other - one);
  return decisive[0]?.[1] ?? 0;
}

/** True if a pod is unplaced while a pod of lower priority is placed. */
export function isPriorityInverted(unplaced: Iterable<PodClass>, placed: Iterable<PodClass>): boolean {
  let [highest, lowest] = [-Infinity, Infinity];
  for (const { spec } of unplaced) highest = Math.max(highest, spec.priority);
  for (const { spec } of placed) lowest = Math.min(lowest, spec.priority);
  return highest > lowest;
}
