import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reconcileInterruption } from '../../shared/controllers/interruption/reconcile.ts';
import { instrumentPorts } from '../../shared/controllers/metrics/instrument-ports.ts';
import type { PortsOf } from '../../shared/ports/hint-senders.ts';
import { cloudlessPortsFrom } from '../support/cloudless-ports.ts';
import { eachRecord } from '../support/each-record.ts';
import { endInvocation } from '../support/end-invocation.ts';
import { metrics, publishMetrics } from '../support/metrics.ts';
import { logger } from '../support/telemetry.ts';
import { onNotice } from './on-notice.ts';

const { ports: own } = cloudlessPortsFrom(process.env, 'claim');
const ports: Omit<PortsOf<'interruption'>, 'cloud'> = instrumentPorts(own, metrics);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .use(endInvocation(ports))
  .handler(eachRecord(onNotice(ports.clock, (notice) => reconcileInterruption(ports, notice))));
