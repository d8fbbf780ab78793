import { setImmediate } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Histogram, Registry, Summary } from 'prom-client';
import type { Metric } from '../../shared/model/metrics/metric.ts';
import { METRICS, type MetricName } from '../../shared/model/metrics/metrics.ts';
import type { Telemetry } from '../../shared/ports/ports.ts';

export interface Prometheus {
  readonly telemetry: Telemetry;
  /** Registers gauges that are only read when a scrape comes. */
  onScrape(gauge: (telemetry: Telemetry) => void): void;
  /** Drops all gauges, because what they say of the cluster is no longer kept up to date. */
  clearGauges(): void;
  /** The metrics in Prometheus' text format. */
  page(): Promise<string>;
  readonly contentType: string;
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * @see Karpenter, SummaryObjectives, with the window of the Go client
 */
const QUANTILES = { percentiles: [0, 0.5, 0.9, 0.99, 1], maxAgeSeconds: 600, ageBuckets: 5 };

/** Registers every metric of the table, and those of the Node process. */
export function createPrometheus(): Prometheus {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<MetricName, Counter>();
  const distributions = new Map<MetricName, Histogram | Summary>();
  // Some gauges have a series for each pod: prom-client would take twice the time, and keep them.
  const gauges = new Map<MetricName, readonly Sample[]>();
  for (const [name, metric] of listMetrics()) {
    const about = {
      name,
      help: metric.help,
      labelNames: [...metric.labels],
      registers: [registry],
    };
    if (metric.kind === 'counter') counters.set(name, new Counter(about));
    else if (metric.kind === 'gauge') gauges.set(name, []);
    else if (metric.kind === 'summary') distributions.set(name, new Summary({ ...about, ...QUANTILES }));
    else distributions.set(name, new Histogram({ ...about, buckets: [...(metric.buckets ?? [])] }));
  }

  const scrapeListeners: ((telemetry: Telemetry) => void)[] = [];
  const telemetry: Telemetry = {
    count: (name, labels, by = 1) => counters.get(name)?.inc({ ...labels }, by),
    observe: (name, labels, value) => distributions.get(name)?.observe({ ...labels }, value),
    gauge: (name, samples) => void gauges.set(name, samples),
  };

  return {
    telemetry,
    onScrape: (gauge) => void scrapeListeners.push(gauge),
    clearGauges() {
      for (const name of gauges.keys()) gauges.set(name, []);
    },
    async page() {
      for (const gauge of scrapeListeners) gauge(telemetry);
      const texts: string[] = [];
      for (const [name, samples] of gauges) {
        texts.push(formatGauge(name, samples));
        // Decisions go on between two gauges.
        await setImmediate();
      }
      return [...texts, await registry.metrics()].join('');
    },
    contentType: registry.contentType,
  };
}

const listMetrics = (): [MetricName, Metric][] =>
  Object.keys(METRICS)
    .filter((name): name is MetricName => name in METRICS)
    .map((name) => [name, METRICS[name]]);

/**
 * The series of a gauge as text. Prometheus refuses two samples of one series, so the last wins.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
function formatGauge(name: MetricName, samples: readonly Sample[]): string {
  const values = new Map(samples.map(({ labels, value }) => [formatLabels(labels), value]));
  const lines = [...values].map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${METRICS[name].help}`, `# TYPE ${name} gauge`, ...lines, '\n'].join('\n');
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const parts: string[] = [];
  for (const key in labels) {
    parts.push(parts.length === 0 ? '{' : ',', key, '="', escapeValue(labels[key] ?? ''), '"');
  }
  if (parts.length > 0) parts.push('}');
  return parts.join('');
}

const escapeValue = (value: string): string =>
  /[\\"\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;
