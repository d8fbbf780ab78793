import type { PodClass } from './pod-classes.ts';

/** Pods that go without, by class. */
export type Missing = Iterable<readonly [PodClass, number]>;

/** Which is worse for the highest priority at which they differ: below 0 for `b`. */
export function compareMissing(a: Missing, b: Missing): number {
  const differences = new Map<number, number>();
  const count = (missing: Missing, sign: number) => {
    for (const [{ spec }, pods] of missing) {
      differences.set(spec.priority, (differences.get(spec.priority) ?? 0) + sign * pods);
    }
  };
  count(a, 1);
  count(b, -1);
  const decisive = [...differences]
    .filter(([, difference]) => difference !== 0)
    .toSorted(([one], [other]) => other - one);
  return decisive[0]?.[1] ?? 0;
}

/** Whether some of the pods go without while others of lower priority do not. */
export function isPassedOver(missing: Iterable<PodClass>, served: Iterable<PodClass>): boolean {
  let [highest, lowest] = [-Infinity, Infinity];
  for (const { spec } of missing) highest = Math.max(highest, spec.priority);
  for (const { spec } of served) lowest = Math.min(lowest, spec.priority);
  return highest > lowest;
}
