import type { MiddlewareObj } from '@middy/core';
import { emfTelemetry } from './emf-telemetry.ts';

/** Figures of the cluster, whichever function notes them. */
export const figures = emfTelemetry(process.env.CLUSTER_NAME ?? '');

/** Writes them when a handler is done, well or not. */
export const publishFigures: MiddlewareObj<unknown, unknown> = {
  after: () => figures.publish(),
  onError: () => figures.publish(),
};
