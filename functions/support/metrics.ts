import type { MiddlewareObj } from '@middy/core';
import { MONITORING_LEVELS } from '../../shared/model/metrics/alarm-metrics.ts';
import { gaugeOne, type Telemetry } from '../../shared/ports/ports.ts';
import { emfTelemetry } from './emf-telemetry.ts';

/** The metrics of this cluster. */
export const metrics = emfTelemetry(
  process.env.CLUSTER_NAME ?? '',
  MONITORING_LEVELS.find((level) => level === process.env.MONITORING),
);

/**
 * Counts failures that are retried: Lambda's own metrics do not show them. Publishes nothing while
 * nothing fails, because an empty series costs as much as a full one.
 */
export function recordFailures(count: number): void {
  if (count === 0) return;
  const controller = process.env.POWERTOOLS_SERVICE_NAME ?? '';
  metrics.count('controller_runtime_reconcile_errors_total', { controller }, count);
}

const KIB_PER_MIB = 1_024;

/**
 * @param peakKib - the largest resident memory of the process; V8 and its buffers are part of it
 * @param limitMib - the function's memory; `undefined` outside of Lambda
 */
export function gaugeMemory(telemetry: Pick<Telemetry, 'gauge'>, peakKib: number, limitMib: string | undefined): void {
  if (limitMib === undefined) return;
  const value = (100 * peakKib) / (Number(limitMib) * KIB_PER_MIB);
  gaugeOne(telemetry, 'mortise_function_memory_used_percent', value);
}

function publish(): void {
  const { maxRSS } = process.resourceUsage();
  gaugeMemory(metrics, maxRSS, process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE);
  metrics.publish();
}

/** Publishes the metrics after each invocation, successful or not. */
export const publishMetrics: MiddlewareObj<unknown, unknown> = {
  after: publish,
  onError: publish,
};
