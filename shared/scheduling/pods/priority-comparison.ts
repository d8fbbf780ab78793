import type { PodClass } from './pod-classes.ts';

/** Pods that go without, by class. */
export type UnplacedPods = Iterable<readonly [PodClass, number]>;

/** Which is worse for the highest priority at which they differ: below 0 for `b`. */
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

/** Whether some of the pods go without while others of lower priority do not. */
export function isPriorityInverted(
  unplaced: Iterable<PodClass>,
  placed: Iterable<PodClass>,
): boolean {
  let [highest, lowest] = [-Infinity, Infinity];
  for (const { spec } of unplaced) highest = Math.max(highest, spec.priority);
  for (const { spec } of placed) lowest = Math.min(lowest, spec.priority);
  return highest > lowest;
}
