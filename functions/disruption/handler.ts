import { setTimeout as sleep } from 'node:timers/promises';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reconcileDisruption } from '../../shared/controllers/disruption.ts';
import { oneTurn } from '../support/one-turn.ts';
import { portsFrom } from '../support/ports.ts';
import { logger, metrics } from '../support/telemetry.ts';

const ports = portsFrom(process.env);

const turn = oneTurn(
  { ...ports, sleep },
  {
    hint: { topic: 'disrupt' },
    // The hook saw a NodePool before it was stored.
    persistenceMs: 1_000,
    work: () => reconcileDisruption(ports),
  },
);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics))
  .handler(turn);
