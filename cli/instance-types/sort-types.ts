import type { Resources } from '../../shared/model/resources.ts';
import type { Verdict } from './select-types.ts';

export const SORT_KEYS = ['price', 'name', 'cpu', 'memory', 'pods'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** Kept types in the wished order, cheapest or smallest first, by name where they are equal. */
export const sortedBy = (key: SortKey, verdicts: readonly Verdict[]): readonly Verdict[] =>
  verdicts.toSorted((a, b) => weightOf(key, a) - weightOf(key, b) || byName(a, b));

function weightOf(key: SortKey, verdict: Verdict): number {
  if (verdict.outcome === 'excluded' || key === 'name') return 0;
  const { offerings, type } = verdict;
  const allocatable: Resources = type.allocatable;
  return key === 'price' ? (offerings[0]?.hourlyUsd ?? 0) : (allocatable[key] ?? 0);
}

const nameOf = (verdict: Verdict): string =>
  verdict.outcome === 'kept' ? verdict.type.name : verdict.name;

const byName = (a: Verdict, b: Verdict): number => (nameOf(a) < nameOf(b) ? -1 : 1);
