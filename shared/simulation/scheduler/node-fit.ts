import { memoize } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { matchesLabels, toLabelRequirements, toRequirements } from '../../model/requirements/requirements.ts';
import type { Taint, Toleration } from '../../model/requirements/taints.ts';
import { findUntoleratedTaint } from '../../model/requirements/taints.ts';

/** The filters of kube-scheduler that depend on a node's labels and taints alone. */
export interface NodeFit {
  matchesAffinity(node: Node): boolean;
  tolerates(node: Node): boolean;
}

/** Parses the spec once and caches the result for each version of a node. */
export function createNodeFit(spec: PodSpec): NodeFit {
  const selector = toLabelRequirements(spec.nodeSelector);
  const terms = spec.requiredNodeTerms.map((term) => toRequirements(term));
  return {
    matchesAffinity: memoize(
      ({ labels }) =>
        matchesLabels(selector, labels) && (terms.length === 0 || terms.some((term) => matchesLabels(term, labels))),
    ),
    tolerates: memoize(({ taints }) => toleratesAll(taints, spec.tolerations)),
  };
}

/** PreferNoSchedule affects the score only. */
const toleratesAll = (taints: readonly Taint[], tolerations: readonly Toleration[]): boolean =>
  findUntoleratedTaint(
    taints.filter(({ effect }) => effect !== 'PreferNoSchedule'),
    tolerations,
  ) === undefined;
