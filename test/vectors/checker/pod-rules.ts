import type { Labels } from '../../../shared/model/labels.ts';
import { normaliseLabelKey } from '../../../shared/model/labels.ts';
import type {
  Pod,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../../shared/model/pods/pod.ts';
import { type LabelSelector, selects } from '../../../shared/model/requirements/selectors.ts';

/** Which pods a rule means: selector and namespaces, as the rule's owner sees them. */
export interface Audience {
  readonly key: string;
  /** Equal for rules that mean the same pods by the same key. */
  readonly id: string;
  includes(pod: Pod): boolean;
}

export function spreadAudience(
  { key, selector, matchLabelKeys }: TopologySpreadConstraint,
  owner: Pod,
): Audience {
  return audience(key, withLabelKeys(selector, matchLabelKeys, owner.labels), [owner.namespace]);
}

export function affinityAudience(
  { key, selector, matchLabelKeys, namespaces, namespaceSelector }: PodAffinityTerm,
  owner: Pod,
  known: Readonly<Record<string, Labels>>,
): Audience {
  const selected = Object.keys(known).filter((name) =>
    selects(namespaceSelector, known[name] ?? {}),
  );
  const own = namespaces.length === 0 && !namespaceSelector ? [owner.namespace] : [];
  return audience(key, withLabelKeys(selector, matchLabelKeys, owner.labels), [
    ...new Set([...namespaces, ...selected, ...own]),
  ]);
}

/** Whom the pod's required affinity joins: only pods that every one of its terms means. */
export function affinityAudiences(
  owner: Pod,
  known: Readonly<Record<string, Labels>>,
): readonly Audience[] {
  const audiences = owner.spec.podAffinity.map((term) => affinityAudience(term, owner, known));
  const ids = audiences.map(({ id }) => id).toSorted();
  return audiences.map(({ key }) => ({
    key,
    id: JSON.stringify([key, ids]),
    includes: (pod) => audiences.every((one) => one.includes(pod)),
  }));
}

function audience(
  written: string,
  selector: LabelSelector | undefined,
  namespaces: readonly string[],
): Audience {
  const key = normaliseLabelKey(written);
  return {
    key,
    id: JSON.stringify([key, selector, namespaces.toSorted()]),
    includes: (pod) => namespaces.includes(pod.namespace) && selects(selector, pod.labels),
  };
}

function withLabelKeys(
  selector: LabelSelector | undefined,
  keys: readonly string[],
  labels: Labels,
): LabelSelector | undefined {
  const more = keys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  return selector && { ...selector, matchExpressions: [...selector.matchExpressions, ...more] };
}
