import * as z from 'zod';
import type { Labels } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodAffinityTerm, Weighted } from '../../model/pods/pod.ts';
import type { LabelSelector } from '../../model/requirements/selectors.ts';
import { readSelector, selectorSchema } from './label-selector.ts';

const termSchema = z.object({
  topologyKey: z.string(),
  labelSelector: selectorSchema.optional(),
  matchLabelKeys: z.array(z.string()).optional(),
  mismatchLabelKeys: z.array(z.string()).optional(),
  namespaces: z.array(z.string()).optional(),
  namespaceSelector: selectorSchema.optional(),
});
type WrittenTerm = z.output<typeof termSchema>;

/** The schema of both `podAffinity` and `podAntiAffinity`. */
export const podAffinitySchema = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(termSchema).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.object({ weight: z.int().min(1).max(100), podAffinityTerm: termSchema }))
    .optional(),
});
type WrittenPodAffinity = z.output<typeof podAffinitySchema>;

/**
 * @param labels - of the pod itself, which `mismatchLabelKeys` are compared with
 */
export const readRequiredAffinity = (
  { requiredDuringSchedulingIgnoredDuringExecution: required = [] }: WrittenPodAffinity = {},
  labels: Labels,
): readonly PodAffinityTerm[] => required.map((term) => readTerm(term, labels));

export const readPreferredAffinity = (
  { preferredDuringSchedulingIgnoredDuringExecution: preferred = [] }: WrittenPodAffinity = {},
  labels: Labels,
): readonly Weighted<PodAffinityTerm>[] =>
  preferred.map(({ weight, podAffinityTerm }) => ({
    weight,
    term: readTerm(podAffinityTerm, labels),
  }));

function readTerm(term: WrittenTerm, labels: Labels): PodAffinityTerm {
  const { topologyKey, labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const { namespaces = [], namespaceSelector } = term;
  return {
    key: topologyKey,
    ...(labelSelector && { selector: withMismatchKeys(readSelector(labelSelector), mismatchLabelKeys, labels) }),
    matchLabelKeys,
    namespaces,
    ...(namespaceSelector && { namespaceSelector: readSelector(namespaceSelector) }),
  };
}

/** Adds `mismatchLabelKeys` as NotIn of the pod's own values, like the API server. */
const withMismatchKeys = (
  selector: LabelSelector,
  mismatchLabelKeys: readonly string[],
  labels: Labels,
): LabelSelector => ({
  ...selector,
  matchExpressions: [
    ...selector.matchExpressions,
    ...mismatchLabelKeys.flatMap((key) => {
      const value = ownValue(labels, key);
      return value === undefined ? [] : [{ key, operator: 'NotIn' as const, values: [value] }];
    }),
  ],
});
