import { setTimeout as sleep } from 'node:timers/promises';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reconcileProvisioning } from '../../shared/controllers/provisioning.ts';
import { oneTurn } from '../support/one-turn.ts';
import { portsFrom } from '../support/ports.ts';
import { logger, metrics } from '../support/telemetry.ts';

const ports = portsFrom(process.env);

const turn = oneTurn(
  { ...ports, sleep },
  {
    hint: { topic: 'plan' },
    // The scheduler writes the pod's condition right after the event that woke us.
    persistenceMs: 250,
    work: () => reconcileProvisioning(ports),
  },
);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics))
  .handler(turn);
