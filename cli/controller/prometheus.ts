import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metric } from '../../shared/model/metrics/metric.ts';
import { METRICS, type MetricName } from '../../shared/model/metrics/metrics.ts';
import type { Telemetry } from '../../shared/ports/ports.ts';

export interface Prometheus {
  readonly telemetry: Telemetry;
  /** Registers gauges that are only read when a scrape comes. */
  onScrape(gauge: (telemetry: Telemetry) => void): void;
  /** The metrics in Prometheus' text format. */
  page(): Promise<string>;
  readonly contentType: string;
}

/** Registers every metric of the table, and those of the Node process. */
export function createPrometheus(): Prometheus {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<MetricName, Counter>();
  const gauges = new Map<MetricName, Gauge>();
  const histograms = new Map<MetricName, Histogram>();
  for (const [name, metric] of listMetrics()) {
    const about = {
      name,
      help: metric.help,
      labelNames: [...metric.labels],
      registers: [registry],
    };
    if (metric.kind === 'counter') counters.set(name, new Counter(about));
    else if (metric.kind === 'gauge') gauges.set(name, new Gauge(about));
    else histograms.set(name, new Histogram({ ...about, buckets: [...(metric.buckets ?? [])] }));
  }

  const scrapeListeners: ((telemetry: Telemetry) => void)[] = [];
  const telemetry: Telemetry = {
    count: (name, labels, by = 1) => counters.get(name)?.inc({ ...labels }, by),
    observe: (name, labels, value) => histograms.get(name)?.observe({ ...labels }, value),
    gauge(name, samples) {
      const gauge = gauges.get(name);
      gauge?.reset();
      for (const { labels, value } of samples) gauge?.set({ ...labels }, value);
    },
  };

  return {
    telemetry,
    onScrape: (gauge) => void scrapeListeners.push(gauge),
    async page() {
      for (const gauge of scrapeListeners) gauge(telemetry);
      return await registry.metrics();
    },
    contentType: registry.contentType,
  };
}

const listMetrics = (): [MetricName, Metric][] =>
  Object.keys(METRICS)
    .filter((name): name is MetricName => name in METRICS)
    .map((name) => [name, METRICS[name]]);
