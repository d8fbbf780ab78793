import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { awsPollLoop } from '../../shared/aws/queues/poll-loop.ts';
import { sdkMessageSender } from '../../shared/aws/queues/send-message.ts';
import { sqsWorkQueue } from '../../shared/aws/queues/work-queue.ts';
import { type PollPorts, pollOnce } from '../../shared/controllers/webhooks/poll.ts';
import { kubernetesPendingPods } from '../../shared/kubernetes/kubernetes-pending-pods.ts';
import { SHORT_TIMEOUTS } from '../support/client-timeouts.ts';
import { eachRecord } from '../support/each-record.ts';
import { functionEksApi } from '../support/function-eks-api.ts';
import { publishMetrics } from '../support/metrics.ts';
import { type Environment, parseSettings } from '../support/settings.ts';
import { systemClock } from '../support/system-clock.ts';
import { logger } from '../support/telemetry.ts';
import { readWorkerSettings, type WorkerSettings } from '../support/worker-settings.ts';
import { parseMessage } from './parse-message.ts';

const schema = z.object({ POLL_QUEUE: z.url() });

interface PollSettings extends WorkerSettings {
  /** URL of the queue that carries the loop's own messages. */
  readonly pollQueue: string;
}

/** @throws SettingsError - names every variable that is missing or wrong */
const readPollSettings = (environment: Environment): PollSettings => ({
  ...readWorkerSettings(environment),
  pollQueue: parseSettings(schema, environment).POLL_QUEUE,
});

/** @throws SettingsError - names every variable that is missing or wrong */
function pollPortsFrom(environment: Environment): PollPorts {
  const settings = readPollSettings(environment);
  const clock = systemClock;
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const sqs = new SQSClient(SHORT_TIMEOUTS);

  return {
    clock,
    queue: sqsWorkQueue(sdkMessageSender(sqs), clock, settings.queues),
    loop: awsPollLoop({ table: dynamoTable(dynamo, settings), sqs, clock }, settings.pollQueue),
    pendingPods: kubernetesPendingPods(functionEksApi(environment, settings, dynamo)),
  };
}

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
