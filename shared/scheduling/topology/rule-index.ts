import type { Labels } from '../../model/labels.ts';
import { isSelected, type TopologyRule } from './topology-rules.ts';

type Rule = Pick<TopologyRule, 'selector' | 'namespaces'>;

/** Rules found by a label that they ask for: of thousands, most mean one app each. */
export interface RuleIndex<T extends Rule> {
  add(rule: T): void;
  /** Those that select the pod, in the order in which they were added. */
  selecting(pod: { readonly namespace: string; readonly labels: Labels }): readonly T[];
}

export function ruleIndex<T extends Rule>(rules: Iterable<T> = []): RuleIndex<T> {
  const byLabel = new Map<string, { readonly number: number; readonly rule: T }[]>();
  let count = 0;

  function add(rule: T): void {
    const label = labelAsked(rule);
    const sharing = byLabel.get(label) ?? [];
    byLabel.set(label, sharing);
    sharing.push({ number: count, rule });
    count += 1;
  }

  for (const rule of rules) add(rule);
  return {
    add,
    selecting(pod) {
      const labels = [NONE, ...Object.entries(pod.labels).map(labelText)];
      return labels
        .flatMap((label) => byLabel.get(label) ?? [])
        .filter(({ rule }) => isSelected(rule, pod))
        .toSorted((a, b) => a.number - b.number)
        .map(({ rule }) => rule);
    },
  };
}

/** Of rules that ask for no label by its value. */
const NONE = '';

const labelText = ([key, value]: readonly [string, string]): string => `${key}=${value}`;

/** The last label tells apart best: a revision is written after the app. */
function labelAsked({ selector }: Rule): string {
  const last = Object.entries(selector?.matchLabels ?? {}).at(-1);
  return last ? labelText(last) : NONE;
}
