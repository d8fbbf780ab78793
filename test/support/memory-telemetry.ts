import { METRICS, type MetricName } from '../../shared/model/metrics/metrics.ts';
import type { Telemetry } from '../../shared/ports/ports.ts';

/**
 * The recorded metrics: `name{label=value}` to the count, the sum of values, or the latest value.
 */
export interface MemoryTelemetry extends Telemetry {
  readonly series: ReadonlyMap<string, number>;
}

export function memoryTelemetry(): MemoryTelemetry {
  const series = new Map<string, number>();
  const add = (key: string, by: number): void => void series.set(key, (series.get(key) ?? 0) + by);

  return {
    series,
    count: (name, labels, by = 1) => add(seriesKey(name, labels), by),
    observe: (name, labels, value) => add(seriesKey(name, labels), value),
    gauge(name, samples) {
      for (const key of series.keys()) if (key.startsWith(`${name}{`)) series.delete(key);
      for (const { labels, value } of samples) series.set(seriesKey(name, labels), value);
    },
  };
}

/** The labels in the order of the metric's definition. */
const seriesKey = (name: MetricName, labels: Readonly<Record<string, string>>): string => {
  const pairs = METRICS[name].labels.map((label) => `${label}=${labels[label] ?? ''}`);
  return `${name}{${pairs.join(',')}}`;
};
