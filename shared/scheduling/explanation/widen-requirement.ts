import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';

/** True if other values of the requirement could allow more. */
export const isWidenable = ({ operator }: RequirementSpec): boolean =>
  operator !== 'Exists' && operator !== 'DoesNotExist';

/**
 * Computes the values with which the requirement also allows the given labels: more values of `In`,
 * fewer of `NotIn`, a wider bound of `Gt`, `Gte`, `Lt` or `Lte`.
 *
 * @returns undefined if it allows them already, or if no values of its operator would
 */
export function widenRequirement(
  { operator, values = [] }: RequirementSpec,
  labels: readonly string[],
): readonly string[] | undefined {
  if (labels.length === 0) return undefined;
  switch (operator) {
    case 'In': {
      const widened = [...new Set([...values, ...labels])];
      return widened.length > values.length ? widened : undefined;
    }
    case 'NotIn': {
      const widened = values.filter((value) => !labels.includes(value));
      return widened.length > 0 && widened.length < values.length ? widened : undefined;
    }
    case 'Lt':
      return widenBound(values, Math.max(...labels.map(Number)) + 1, Math.max);
    case 'Lte':
      return widenBound(values, Math.max(...labels.map(Number)), Math.max);
    case 'Gt':
      return widenBound(values, Math.min(...labels.map(Number)) - 1, Math.min);
    case 'Gte':
      return widenBound(values, Math.min(...labels.map(Number)), Math.min);
    case 'Exists':
    case 'DoesNotExist':
      return undefined;
  }
}

function widenBound(
  [present]: readonly string[],
  needed: number,
  choose: (a: number, b: number) => number,
): readonly string[] | undefined {
  const bound = choose(Number(present), needed);
  return Number.isNaN(bound) || bound === Number(present) ? undefined : [`${bound}`];
}
