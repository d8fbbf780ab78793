/** The definition of a metric. */
export interface Metric {
  /** As in Prometheus. A summary has the quantiles of the last ten minutes in this process. */
  readonly kind: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly unit: 'count' | 'seconds' | 'usd-per-hour' | 'cores' | 'bytes' | 'percent';
  readonly labels: readonly string[];
  /**
   * How the metric goes to CloudWatch: as one series for the cluster, as one for each NodePool, or
   * not at all. CloudWatch bills every distinct set of dimensions, so no other label is sent.
   */
  readonly cloudWatch: 'one' | 'per-pool' | 'none';
  /** Upper bounds; every histogram has them. */
  readonly buckets?: readonly number[];
  readonly help: string;
}

/**
 * Upper bounds in seconds: for fast steps, for steps that take minutes, and for the lifetimes of
 * nodes.
 */
export const FAST_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
export const SLOW_S = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
export const LIVES_S = [900, 3600, 7200, 14_400, 43_200, 86_400, 259_200, 604_800, 1_209_600, 2_592_000];
