import { normaliseLabelKey, WELL_KNOWN_LABELS } from '../model/labels.ts';
import { findNearestWord } from './nearest-word.ts';

/** The part after the domain: `instance-cpu` of `karpenter.k8s.aws/instance-cpu`. */
const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1);

/**
 * Finds the well-known label that a key is probably a misspelling of: `instance-cpu` and
 * `karpenter.k8s.aws/cpu` mean `karpenter.k8s.aws/instance-cpu`; undefined if the key is well known
 * or none is near.
 */
export function findNearestLabel(key: string): string | undefined {
  if (WELL_KNOWN_LABELS.has(normaliseLabelKey(key))) return undefined;
  const name = nameOf(key);
  const keys = [...WELL_KNOWN_LABELS];
  const whole = keys.find((one) => nameOf(one) === name || nameOf(one) === `instance-${name}`);
  if (whole !== undefined) return whole;
  const near = findNearestWord(name, keys.map(nameOf));
  return keys.find((one) => nameOf(one) === near);
}
