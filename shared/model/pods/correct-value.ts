import { ownValue } from '../own-value.ts';
import type { PodSpec } from './pod.ts';

/** Returns the spec with another value of the label in its node selector and node affinity. */
export function withCorrectValue(spec: PodSpec, key: string, from: string, to: string): PodSpec {
  const correct = (value: string): string => (value === from ? to : value);
  const selected = ownValue(spec.nodeSelector, key);
  return {
    ...spec,
    nodeSelector: selected === undefined ? spec.nodeSelector : { ...spec.nodeSelector, [key]: correct(selected) },
    requiredNodeTerms: spec.requiredNodeTerms.map((term) =>
      term.map((one) => (one.key === key && one.values ? { ...one, values: one.values.map(correct) } : one)),
    ),
  };
}
