/** One kind of figure about our own work. */
export interface Metric {
  /** Counted up, read off, or one of many values whose spread matters. */
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly unit: 'count' | 'seconds' | 'usd-per-hour' | 'cores' | 'bytes';
  readonly labels: readonly string[];
  /**
   * How CloudWatch gets it: as one series for the cluster, as one for each NodePool, or not at all.
   * It bills every distinct set of dimensions, so no other label goes there.
   */
  readonly cloudWatch: 'one' | 'per-pool' | 'none';
  /** Upper bounds; a histogram has them. */
  readonly buckets?: readonly number[];
  readonly help: string;
}

/** Upper bounds in seconds: of what takes moments, of what takes minutes, of how long nodes live. */
export const FAST_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
export const SLOW_S = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
export const LIVES_S = [
  900, 3600, 7200, 14_400, 43_200, 86_400, 259_200, 604_800, 1_209_600, 2_592_000,
];
