import { memoize } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeSelectorTerm, PodSpec } from '../../model/pods/pod.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import {
  matchesLabels,
  toLabelRequirements,
  toRequirements,
} from '../../model/requirements/requirements.ts';
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
        matchesLabels(selector, labels) &&
        (terms.length === 0 || terms.some((term) => matchesLabels(term, labels))),
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

const isEmpty = (term: NodeSelectorTerm): boolean => term.length === 0;

/** Scores preferred node affinity and PreferNoSchedule taints with kube-scheduler's weights. */
export function createNodePreference(spec: PodSpec): (node: Node) => number {
  const terms = spec.preferredNodeTerms
    .filter(({ term }) => !isEmpty(term))
    .map(({ weight, term }) => ({ weight, requirements: toRequirements(term) }));

  return memoize(
    ({ labels, taints }) =>
      sumAffinityWeights(terms, labels) - 300 * countUntolerated(taints, spec.tolerations),
  );
}

const sumAffinityWeights = (
  terms: readonly { readonly weight: number; readonly requirements: Requirements }[],
  labels: Node['labels'],
): number =>
  terms.reduce(
    (sum, { weight, requirements }) => sum + (matchesLabels(requirements, labels) ? 2 * weight : 0),
    0,
  );

const countUntolerated = (taints: readonly Taint[], tolerations: readonly Toleration[]): number =>
  taints.filter(
    (taint) =>
      taint.effect === 'PreferNoSchedule' &&
      findUntoleratedTaint([taint], tolerations) !== undefined,
  ).length;
