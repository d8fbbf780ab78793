import type { MiddlewareObj } from '@middy/core';
import { emfTelemetry } from './emf-telemetry.ts';

/** The metrics of this cluster. */
export const metrics = emfTelemetry(process.env.CLUSTER_NAME ?? '');

/**
 * Counts failures that are retried: Lambda's own metrics do not show them. Publishes nothing while
 * nothing fails, because an empty series costs as much as a full one.
 */
export function recordFailures(count: number): void {
  if (count === 0) return;
  const controller = process.env.POWERTOOLS_SERVICE_NAME ?? '';
  metrics.count('controller_runtime_reconcile_errors_total', { controller }, count);
}

/** Publishes the metrics after each invocation, successful or not. */
export const publishMetrics: MiddlewareObj<unknown, unknown> = {
  after: () => metrics.publish(),
  onError: () => metrics.publish(),
};
