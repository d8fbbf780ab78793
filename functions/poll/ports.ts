import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { awsPollLoop } from '../../shared/aws/aws-poll-loop.ts';
import { dynamoTable } from '../../shared/aws/dynamo-table.ts';
import { sdkMessages } from '../../shared/aws/send-message.ts';
import { sqsWorkQueue } from '../../shared/aws/sqs-work-queue.ts';
import type { PollPorts } from '../../shared/controllers/poll.ts';
import { eksApi } from '../../shared/home/eks-api.ts';
import { kubernetesPendingPods } from '../../shared/kubernetes/pending-pods.ts';
import { QUICK } from '../support/patience.ts';
import type { Environment } from '../support/settings.ts';
import { systemClock } from '../support/system-clock.ts';
import { readTiming } from '../support/timing.ts';
import { readPollSettings } from './settings.ts';

/** @throws SettingsError - names every variable that is missing or wrong */
export function pollPortsFrom(environment: Environment): PollPorts {
  const settings = readPollSettings(environment);
  const clock = systemClock;
  const dynamo = new DynamoDBClient(QUICK);
  const sqs = new SQSClient(QUICK);

  return {
    clock,
    queue: sqsWorkQueue(sdkMessages(sqs), clock, settings.queues, readTiming(environment).bucketMs),
    loop: awsPollLoop({ table: dynamoTable(dynamo, settings), sqs, clock }, settings.pollQueue),
    pendingPods: kubernetesPendingPods(eksApi(settings, { clock, client: dynamo })),
  };
}
