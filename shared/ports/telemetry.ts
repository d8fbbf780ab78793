import type { MetricLabels, MetricName, MetricOf } from '../model/metrics.ts';

export interface Sample<N extends MetricName> {
  readonly labels: MetricLabels<N>;
  readonly value: number;
}

/** Figures about our own work, for whoever watches it. Recording never fails and never waits. */
export interface Telemetry {
  /** Counts up, by 1 unless told otherwise. */
  count<N extends MetricOf<'counter'>>(name: N, labels: MetricLabels<N>, by?: number): void;
  /** One more value of a distribution. */
  observe<N extends MetricOf<'histogram'>>(name: N, labels: MetricLabels<N>, value: number): void;
  /** How things are now: all series of the gauge; one that is not named is gone. */
  gauge<N extends MetricOf<'gauge'>>(name: N, samples: readonly Sample<N>[]): void;
}
