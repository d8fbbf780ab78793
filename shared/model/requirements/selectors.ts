import type { Labels } from '../labels.ts';
import { ownValue } from '../own-value.ts';

/**
 * A Kubernetes label selector. An empty selector selects everything, `undefined` selects nothing.
 */
export interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly SelectorExpression[];
}

export interface SelectorExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  for (const key in selector.matchLabels) {
    if (ownValue(labels, key) !== ownValue(selector.matchLabels, key)) return false;
  }
  return selector.matchExpressions.every((expression) => holds(expression, labels));
}

function holds({ key, operator, values }: SelectorExpression, labels: Labels): boolean {
  const value = ownValue(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    // Unlike in node affinity, NotIn also holds if the label is absent.
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** Formats the selector for people: `app=web,tier in (a, b)`. */
export const formatSelector = (selector: LabelSelector | undefined): string =>
  selector
    ? [
        ...Object.entries(selector.matchLabels).map(([key, value]) => `${key}=${value}`),
        ...selector.matchExpressions.map(({ key, operator, values }) =>
          values.length > 0 ? `${key} ${operator} (${values.join(', ')})` : `${key} ${operator}`,
        ),
      ].join(',') || 'every pod'
    : 'no pod';

/** Formats the selector as the API and `kubectl -l` read it; empty for every pod. */
export const formatLabelSelector = ({ matchLabels, matchExpressions }: LabelSelector): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(formatExpression),
  ].join(',');

function formatExpression({ key, operator, values }: SelectorExpression): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
