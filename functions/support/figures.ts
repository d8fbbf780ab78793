import type { MiddlewareObj } from '@middy/core';
import { emfTelemetry } from './emf-telemetry.ts';

/** Figures of the cluster, whichever function notes them. */
export const metrics = emfTelemetry(process.env.CLUSTER_NAME ?? '');

/**
 * What failed and is tried again shows in no figure of Lambda's. No series where nothing fails: it
 * would cost as much.
 */
export function recordFailures(count: number): void {
  if (count === 0) return;
  const controller = process.env.POWERTOOLS_SERVICE_NAME ?? '';
  metrics.count('controller_runtime_reconcile_errors_total', { controller }, count);
}

/** Writes them when a handler is done, well or not. */
export const publishMetrics: MiddlewareObj<unknown, unknown> = {
  after: () => metrics.publish(),
  onError: () => metrics.publish(),
};
