import type { PodSpec } from '../../model/pod.ts';
import {
  conjunctionOf,
  type Requirements,
  requirementsOfLabels,
  toRequirements,
} from '../../model/requirements.ts';

/** What a pod itself asks of its node: any one of these must hold. */
export function requiredOfNode({
  nodeSelector,
  requiredNodeTerms,
}: PodSpec): readonly Requirements[] {
  const selector = requirementsOfLabels(nodeSelector);
  if (requiredNodeTerms.length === 0) return [selector];
  return requiredNodeTerms.map((term) => conjunctionOf(selector, toRequirements(term)));
}
