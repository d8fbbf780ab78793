import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { MiddlewareObj } from '@middy/core';
import { emfTelemetry } from './emf-telemetry.ts';

/** The deployment names service and namespace, in the variables that Powertools reads. */
export const logger = new Logger();
export const metrics = new Metrics();

/** Figures of the cluster, whichever function notes them. */
export const figures = emfTelemetry(process.env.CLUSTER_NAME ?? '');

/** Writes them when a handler is done, well or not. */
export const publishFigures: MiddlewareObj<unknown, unknown> = {
  after: () => figures.publish(),
  onError: () => figures.publish(),
};
