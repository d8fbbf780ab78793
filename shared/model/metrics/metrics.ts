import { CLOUD_METRICS } from './cloud-metrics.ts';
import { CLUSTER_METRICS } from './cluster-metrics.ts';
import { CONDITION_METRICS } from './condition-metrics.ts';
import { CONTROL_METRICS } from './control-metrics.ts';
import { DISRUPTION_METRICS } from './disruption-metrics.ts';
import type { Metric } from './metric.ts';
import { NODE_METRICS } from './node-metrics.ts';
import { POD_METRICS } from './pod-metrics.ts';
import { RESOURCE_METRICS } from './resource-metrics.ts';
import { SCHEDULING_METRICS } from './scheduling-metrics.ts';

/**
 * All metrics. If Karpenter or controller-runtime has a metric, we use its name, labels and
 * meaning; our own begin with `mortise_`.
 */
export const METRICS = {
  ...NODE_METRICS,
  ...CONDITION_METRICS,
  ...RESOURCE_METRICS,
  ...CLUSTER_METRICS,
  ...SCHEDULING_METRICS,
  ...POD_METRICS,
  ...DISRUPTION_METRICS,
  ...CLOUD_METRICS,
  ...CONTROL_METRICS,
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

/** The names of the metrics of one kind. */
export type MetricOf<K extends Metric['kind']> = {
  [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never;
}[MetricName];

/** Exactly one value for each label of a metric. */
export type MetricLabels<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]['labels'][number], string>>;
