import type { PodKey } from '../../model/pod.ts';
import type { PodClass } from './pod-classes.ts';

/** Hands out the pods of each class one after the other: they are equal, so any will do. */
export type PodTaker = (cls: PodClass, count: number) => PodKey[];

export function podTaker(): PodTaker {
  const taken = new Map<PodClass, number>();
  return (cls, count) => {
    const start = taken.get(cls) ?? 0;
    taken.set(cls, start + count);
    return cls.pods.slice(start, start + count);
  };
}
