import { findUntoleratedTaint } from '../../model/requirements/taints.ts';
import { toVector, type Vector } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import type { ClassTopology, Topology } from '../topology/topology.ts';

/** The requirements of a pod at one step of Karpenter's relaxation of preferences. */
export interface PodRequirements {
  readonly cls: PodClass;
  readonly relaxation: Relaxation;
  readonly request: Vector;
  readonly rules: ClassTopology;
  /** Templates of the pools whose taints the pod tolerates, sorted by descending weight. */
  readonly templates: readonly NodeClaimTemplate[];
}

/**
 * Lists the relaxation steps of a class. A required term is dropped while another one is left; then
 * preferences are dropped one by one.
 *
 * @see Karpenter, `Preferences.Relax`
 */
export function listPodRequirements(cls: PodClass, topology: Topology, problem: Problem): PodRequirements[] {
  const request = toVector(problem.columns, cls.spec.requests);
  return cls.relaxations
    .filter(({ level, strict, anyOf }) => level === 0 || strict === anyOf.at(-1))
    .map((relaxation) => ({
      cls,
      relaxation,
      request,
      rules: topology.of(cls, relaxation),
      templates: problem.nodeTemplates.filter(({ pool }) => !findUntoleratedTaint(pool.taints, relaxation.tolerations)),
    }));
}
