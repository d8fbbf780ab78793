import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { getOrCreate } from '../../shared/model/memo.ts';
import { isAlarming, type MonitoringLevel } from '../../shared/model/metrics/alarm-metrics.ts';
import type { Metric } from '../../shared/model/metrics/metric.ts';
import { METRICS, type MetricName } from '../../shared/model/metrics/metrics.ts';
import type { Telemetry } from '../../shared/ports/ports.ts';

export interface EmfTelemetry extends Telemetry {
  /**
   * Writes the metrics recorded since the last call to the log in CloudWatch's embedded metric
   * format.
   */
  publish(): void;
}

/**
 * Dimensions are `service=mortise`, `cluster`, and `nodepool` where the metric's definition has it.
 */
const SERVICE = 'mortise';

type Labels = Readonly<Record<string, string>>;

/**
 * Creates telemetry that publishes in CloudWatch's embedded metric format.
 *
 * @param level - which metrics it publishes
 */
export function emfTelemetry(cluster: string, level: MonitoringLevel = 'all'): EmfTelemetry {
  const waiting = new Map<string, Map<MetricName, number[]>>();

  function valuesOf(name: MetricName, { nodepool = '' }: Labels): number[] {
    const { cloudWatch }: Metric = METRICS[name];
    if (cloudWatch === 'none') return [];
    const pool = cloudWatch === 'per-pool' ? nodepool : '';
    const figures = getOrCreate(waiting, pool, () => new Map());
    return getOrCreate(figures, name, () => []);
  }

  return {
    count(name, labels, by = 1) {
      const values = valuesOf(name, labels);
      values[0] = (values[0] ?? 0) + by;
    },
    observe: (name, labels, value) => void valuesOf(name, labels).push(value),
    gauge(name, samples) {
      for (const figures of waiting.values()) figures.delete(name);
      for (const { labels, value } of samples) {
        const values = valuesOf(name, labels);
        values[0] = (values[0] ?? 0) + value;
      }
    },
    publish() {
      for (const [pool, figures] of waiting) write(cluster, pool, selectFigures(figures, level));
      waiting.clear();
    },
  };
}

type Figures = ReadonlyMap<MetricName, readonly number[]>;

/** A series costs the same whatever its values, so values without a use are left out. */
function selectFigures(figures: Figures, level: MonitoringLevel): Figures {
  if (level === 'all') return figures;
  if (level === 'none') return new Map();
  return new Map(
    [...figures].flatMap(([name, values]) => {
      const alarming = values.filter((value) => isAlarming(name, value));
      return alarming.length > 0 ? [[name, alarming]] : [];
    }),
  );
}

function write(cluster: string, nodepool: string, figures: Figures): void {
  if (figures.size === 0) return;
  const defaultDimensions = { cluster, ...(nodepool !== '' && { nodepool }) };
  const record = new Metrics({ serviceName: SERVICE, defaultDimensions });
  for (const [name, values] of figures) {
    for (const value of values) record.addMetric(name, UNITS[METRICS[name].unit], value);
  }
  record.publishStoredMetrics();
}

const UNITS = {
  count: MetricUnit.Count,
  seconds: MetricUnit.Seconds,
  bytes: MetricUnit.Bytes,
  cores: MetricUnit.NoUnit,
  'usd-per-hour': MetricUnit.NoUnit,
  percent: MetricUnit.Percent,
} as const;
