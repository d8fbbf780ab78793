import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { reconcileNodeClasses } from '../../shared/controllers/node-class/reconcile.ts';
import { publishMetrics } from '../support/figures.ts';
import { portsFrom } from '../support/ports.ts';
import { logger } from '../support/telemetry.ts';
import { classPortsFrom } from './ports.ts';

const ports = { ...portsFrom(process.env), classes: classPortsFrom(process.env) };

/** Every hint says the same: one look answers a whole batch. If it fails, all of it comes again. */
const lookOnce = (): Promise<void> => reconcileNodeClasses(ports);

export const handler = middy<SQSEvent>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .handler(lookOnce);
