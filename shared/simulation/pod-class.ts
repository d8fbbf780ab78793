import type { Labels } from '../model/labels.ts';
import type { Pod, PodSpec } from '../model/pod.ts';

/** Pods that nothing in scheduling can tell apart: one namespace, one template. */
export interface PodClass {
  /** In order of appearance. */
  readonly id: number;
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
}

/** Finds classes by the identity of the template's objects, which its pods share. */
export interface PodClasses {
  of(pod: Pod): PodClass;
}

export function createPodClasses(): PodClasses {
  const bySpec = new WeakMap<PodSpec, PodClass[]>();
  let count = 0;

  return {
    of({ spec, labels, namespace }) {
      const known = bySpec.get(spec) ?? [];
      const found = known.find(
        (candidate) => candidate.labels === labels && candidate.namespace === namespace,
      );
      if (found) return found;

      const created: PodClass = { id: count++, namespace, labels, spec };
      bySpec.set(spec, [...known, created]);
      return created;
    },
  };
}
