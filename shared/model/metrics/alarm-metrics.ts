import type { MetricName } from './metrics.ts';

/**
 * The values that an alarm acts on. It takes other values and no value alike, except for `always`: its
 * alarm acts if there is none.
 */
export type AlarmingValues = { readonly above: number } | { readonly below: number } | { readonly always: true };

/** The metrics that alarms watch. With `monitoring=alarms`, functions publish only these values. */
export const ALARM_METRICS = {
  mortise_sweeps_total: { always: true },
  mortise_pods_pending_oldest_seconds: { above: 15 * 60 },
  mortise_nodeclaims_starting_oldest_seconds: { above: 10 * 60 },
  mortise_nodeclaims_drain_stuck: { above: 0 },
  mortise_unreadable_rows_total: { above: 0 },
  mortise_events_dropped_total: { above: 0 },
  mortise_hooks_withdrawn: { above: 0 },
  // The rest is for a burst that no measurement contained.
  mortise_function_memory_used_percent: { above: 60 },
  karpenter_cloudprovider_errors_total: { above: 0 },
  karpenter_cluster_state_synced: { below: 1 },
  controller_runtime_reconcile_errors_total: { above: 0 },
} as const satisfies Partial<Record<MetricName, AlarmingValues>>;

/** True if an alarm acts on the value. */
export function isAlarming(name: MetricName, value: number): boolean {
  const alarming: Readonly<Partial<Record<MetricName, AlarmingValues>>> = ALARM_METRICS;
  const values = alarming[name];
  if (values === undefined) return false;
  if ('always' in values) return true;
  return 'above' in values ? value > values.above : value < values.below;
}

/** The levels of monitoring in CloudWatch: nothing, alarms with their metrics, or all metrics and a dashboard. */
export const MONITORING_LEVELS = ['none', 'alarms', 'all'] as const;
export type MonitoringLevel = (typeof MONITORING_LEVELS)[number];
