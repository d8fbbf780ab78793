import type { Labels } from '../../../shared/model/labels.ts';
import { normaliseLabelKey } from '../../../shared/model/labels.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import { type LabelSelector, selects } from '../../../shared/model/requirements/selectors.ts';

/** The pods that a topology rule selects. */
export interface PodSelector {
  readonly key: string;
  /** Equal for rules with the same pods and key. */
  readonly id: string;
  includes(pod: Pod): boolean;
}

export function toSpreadPodSelector(
  { key, selector, matchLabelKeys }: TopologySpreadConstraint,
  owner: Pod,
): PodSelector {
  return createSelector(key, withLabelKeys(selector, matchLabelKeys, owner.labels), [owner.namespace]);
}

export function toAffinityPodSelector(
  { key, selector, matchLabelKeys, namespaces, namespaceSelector }: PodAffinityTerm,
  owner: Pod,
  existing: Readonly<Record<string, Labels>>,
): PodSelector {
  const selected = Object.keys(existing).filter((name) => selects(namespaceSelector, ownValue(existing, name) ?? {}));
  const own = namespaces.length === 0 && !namespaceSelector ? [owner.namespace] : [];
  return createSelector(key, withLabelKeys(selector, matchLabelKeys, owner.labels), [
    ...new Set([...namespaces, ...selected, ...own]),
  ]);
}

/** Creates the selectors of the required affinity terms: only pods that match all terms count. */
export function listAffinityPodSelectors(
  owner: Pod,
  existing: Readonly<Record<string, Labels>>,
): readonly PodSelector[] {
  const audiences = owner.spec.podAffinity.map((term) => toAffinityPodSelector(term, owner, existing));
  const ids = audiences.map(({ id }) => id).toSorted();
  return audiences.map(({ key }) => ({
    key,
    id: JSON.stringify([key, ids]),
    includes: (pod) => audiences.every((one) => one.includes(pod)),
  }));
}

function createSelector(
  written: string,
  selector: LabelSelector | undefined,
  namespaces: readonly string[],
): PodSelector {
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
    const value = ownValue(labels, key);
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  return selector && { ...selector, matchExpressions: [...selector.matchExpressions, ...more] };
}
