import { untoleratedTaint } from '../../model/taints.ts';
import type { Alternative } from '../pods/relaxations.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import type { ClassTopology, Topology } from '../topology/topology.ts';
import type { Template } from '../instance-types/node-claim-templates.ts';
import { toVector, type Vector } from '../data-structures/resource-vectors.ts';

/** What a pod asks for at one step of giving up its preferences. */
export interface Wish {
  readonly cls: PodClass;
  readonly alternative: Alternative;
  readonly request: Vector;
  readonly rules: ClassTopology;
  /** Of the pools whose taints it tolerates, heaviest first. */
  readonly templates: readonly Template[];
}

/**
 * The steps of one class: a required term is given up while there is another, and only then, one by
 * one, what the pod would like.
 *
 * @see Karpenter, Preferences.Relax
 */
export function wishesOf(cls: PodClass, topology: Topology, problem: Problem): Wish[] {
  const request = toVector(problem.columns, cls.spec.requests);
  return cls.alternatives
    .filter(({ level, strict, anyOf }) => level === 0 || strict === anyOf.at(-1))
    .map((alternative) => ({
      cls,
      alternative,
      request,
      rules: topology.of(cls, alternative),
      templates: problem.templates.filter(
        ({ pool }) => !untoleratedTaint(pool.taints, alternative.tolerations),
      ),
    }));
}
