import type { Resources } from '../../shared/model/resources.ts';
import type { TypeEligibility } from './select-types.ts';

export const SORT_KEYS = ['price', 'name', 'cpu', 'memory', 'pods'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** Sorts the accepted types by the requested key, then by name. */
export const sortedBy = (key: SortKey, verdicts: readonly TypeEligibility[]): readonly TypeEligibility[] =>
  verdicts.toSorted((a, b) => weightOf(key, a) - weightOf(key, b) || byName(a, b));

function weightOf(key: SortKey, verdict: TypeEligibility): number {
  if (verdict.outcome === 'excluded' || key === 'name') return 0;
  const { cost, type } = verdict;
  const allocatable: Resources = type.allocatable;
  return key === 'price' ? cost : (allocatable[key] ?? 0);
}

const nameOf = (verdict: TypeEligibility): string => (verdict.outcome === 'kept' ? verdict.type.name : verdict.name);

const byName = (a: TypeEligibility, b: TypeEligibility): number => (nameOf(a) < nameOf(b) ? -1 : 1);
