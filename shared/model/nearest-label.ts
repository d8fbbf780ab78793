import { normaliseLabelKey, WELL_KNOWN_LABELS } from './labels.ts';
import { findNearestWord } from './nearest-word.ts';

/** The part after the domain: `instance-cpu` of `karpenter.k8s.aws/instance-cpu`. */
const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1);
const domainOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));

const DOMAINS: ReadonlySet<string> = new Set([...WELL_KNOWN_LABELS].map(domainOf));

/**
 * Finds the well-known label that a key is probably a misspelling of: `instance-cpu`, `karpenter.k8s.aws/cpu` and
 * `karpenter.k8s.aws/instance-cpuu` mean `karpenter.k8s.aws/instance-cpu`; undefined if the key is well known, or
 * none is near. Below the domain of a user, only the exact name of a label counts.
 */
export function findNearestLabel(key: string): string | undefined {
  if (WELL_KNOWN_LABELS.has(normaliseLabelKey(key))) return undefined;
  const [name, domain] = [nameOf(key), domainOf(key)];
  const keys = [...WELL_KNOWN_LABELS];
  const exact = keys.find((one) => nameOf(one) === name);
  if (exact !== undefined) return exact;
  if (domain !== '' && findNearestWord(domain, DOMAINS) === undefined) return undefined;
  const short = keys.find((one) => nameOf(one) === `instance-${name}`);
  if (short !== undefined) return short;
  const near = findNearestWord(name, keys.map(nameOf));
  return keys.find((one) => nameOf(one) === near);
}
