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
  const byLabel = new Map<string, Numbered<T>[]>();
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
      const found: Numbered<T>[] = [];
      const look = (label: string) => {
        for (const one of byLabel.get(label) ?? []) if (isSelected(one.rule, pod)) found.push(one);
      };
      look(NONE);
      for (const key in pod.labels) look(labelText(key, pod.labels[key] ?? ''));
      return found.sort((a, b) => a.number - b.number).map(({ rule }) => rule);
    },
  };
}

interface Numbered<T> {
  readonly number: number;
  readonly rule: T;
}

/** Of rules that ask for no label by its value. */
const NONE = '';

const labelText = (key: string, value: string): string => `${key}=${value}`;

/** The last label tells apart best: a revision is written after the app. */
function labelAsked({ selector }: Rule): string {
  const last = Object.entries(selector?.matchLabels ?? {}).at(-1);
  return last ? labelText(...last) : NONE;
}
