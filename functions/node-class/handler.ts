import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { reconcileNodeClasses } from '../../shared/controllers/node-class/reconcile.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { publishMetrics } from '../support/metrics.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';
import { classPortsFrom } from './ports.ts';

const own: PortsOf<'nodeClass'> = portsFrom(process.env);
const ports = { ...own, classes: classPortsFrom(process.env) };

/**
 * All hints mean the same, so one run answers the batch. If it fails, the whole batch is delivered
 * again.
 */
const lookOnce = (): Promise<void> => reconcileNodeClasses(ports);

export const handler = middy<SQSEvent>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(lookOnce);
