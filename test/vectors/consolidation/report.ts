import type { ConsolidationResult } from './consolidation-result.ts';

/** Summary of all cases with running clusters. */
export interface ConsolidationReport {
  readonly cases: number;
  readonly passed: number;
  readonly failed: readonly { readonly case: string; readonly why: string }[];
  /** Number of cases in which each side removes a node. */
  readonly commands: { readonly ours: number; readonly reference: number };
  /** Sums over all cases, in USD per hour. */
  readonly savingHourlyUsd: { readonly ours: number; readonly reference: number };
}

export function createConsolidationReport(results: readonly ConsolidationResult[]): ConsolidationReport {
  const failed = results.filter(({ why }) => why.length > 0);
  return {
    cases: results.length,
    passed: results.length - failed.length,
    failed: failed.map(({ case: name, why }) => ({ case: name, why: why.join('; ') })),
    commands: {
      ours: results.filter(({ command }) => command).length,
      reference: results.filter(({ saving }) => saving.reference > 0).length,
    },
    savingHourlyUsd: {
      ours: sum(results.map(({ saving }) => saving.ours)),
      reference: sum(results.map(({ saving }) => saving.reference)),
    },
  };
}

/** Rounded to a millionth, because the last digits of the sums differ. */
const sum = (values: readonly number[]): number =>
  Math.round(values.reduce((total, value) => total + value, 0) * 1e6) / 1e6;
