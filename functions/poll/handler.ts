import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { pollOnce } from '../../shared/controllers/webhooks/poll.ts';
import { eachRecord } from '../support/each-record.ts';
import { publishMetrics } from '../support/metrics.ts';
import { logger } from '../support/telemetry.ts';
import { parseMessage } from './parse-message.ts';
import { pollPortsFrom } from './ports.ts';

const ports = pollPortsFrom(process.env);

async function onRecord({ body, messageId }: SQSRecord): Promise<void> {
  const message = parseMessage(body);
  if (!message) return logger.warn('message ignored', { messageId });

  await pollOnce(ports, message);
}

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(injectLambdaContext(logger))
  .use(publishMetrics)
  .handler(eachRecord(onRecord));
