import type { CaseResult, Compared } from './case-result.ts';

/** Summary of all cases. Ratios are our price divided by the reference's. */
export interface VectorReport {
  readonly cases: number;
  readonly passed: number;
  readonly failed: readonly { readonly case: string; readonly why: string }[];
  /**
   * Over the cases in which both place the same pods at a price above 0; null if there are none.
   */
  readonly priceRatio: {
    readonly median: number | null;
    readonly max: number | null;
    /** Ratio of the sums. */
    readonly total: number | null;
  };
  /** Ratio of the sums of new nodes, over the same cases. */
  readonly nodeRatio: number | null;
}

export function createReport(judgements: readonly CaseResult[]): VectorReport {
  const failed = judgements.filter(({ why }) => why.length > 0);
  const prices = judgements.flatMap(({ price }) => (price && price.reference > 0 ? [price] : []));
  const nodes = judgements.flatMap((one) => (one.nodes && one.nodes.reference > 0 ? one.nodes : []));
  const ratios = prices.map(({ ours, reference }) => ours / reference).toSorted((a, b) => a - b);
  return {
    cases: judgements.length,
    passed: judgements.length - failed.length,
    failed: failed.map(({ case: name, why }) => ({ case: name, why: why.join('; ') })),
    priceRatio: {
      median: roundRatio(computeMedian(ratios)),
      max: roundRatio(ratios.at(-1)),
      total: computeTotalRatio(prices),
    },
    nodeRatio: computeTotalRatio(nodes),
  };
}

function computeMedian(sorted: readonly number[]): number | undefined {
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)];
  const high = sorted[Math.ceil(middle)];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

const computeTotalRatio = (all: readonly Compared[]): number | null =>
  roundRatio(all.length > 0 ? computeSum(all, 'ours') / computeSum(all, 'reference') : undefined);

const computeSum = (all: readonly Compared[], of: keyof Compared): number => all.reduce((sum, one) => sum + one[of], 0);

/** Rounded to six digits, because the last digits of the sums differ. */
const roundRatio = (ratio: number | undefined): number | null =>
  ratio === undefined ? null : Math.round(ratio * 1e6) / 1e6;
