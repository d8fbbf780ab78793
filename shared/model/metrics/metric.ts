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
