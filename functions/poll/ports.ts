import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { awsPollLoop } from '../../shared/aws/queues/poll-loop.ts';
import { sdkMessageSender } from '../../shared/aws/queues/send-message.ts';
import { sqsWorkQueue } from '../../shared/aws/queues/work-queue.ts';
import type { PollPorts } from '../../shared/controllers/webhooks/poll.ts';
import { kubernetesPendingPods } from '../../shared/kubernetes/kubernetes-pending-pods.ts';
import { SHORT_TIMEOUTS } from '../support/client-timeouts.ts';
import { functionEksApi } from '../support/function-eks-api.ts';
import type { Environment } from '../support/settings.ts';
import { systemClock } from '../support/system-clock.ts';
import { readTiming } from '../support/timing.ts';
import { readPollSettings } from './settings.ts';

/** @throws SettingsError - names every variable that is missing or wrong */
export function pollPortsFrom(environment: Environment): PollPorts {
  const settings = readPollSettings(environment);
  const clock = systemClock;
  const dynamo = new DynamoDBClient(SHORT_TIMEOUTS);
  const sqs = new SQSClient(SHORT_TIMEOUTS);

  return {
    clock,
    queue: sqsWorkQueue(sdkMessageSender(sqs), clock, settings.queues, readTiming(environment).bucketMs),
    loop: awsPollLoop({ table: dynamoTable(dynamo, settings), sqs, clock }, settings.pollQueue),
    pendingPods: kubernetesPendingPods(functionEksApi(environment, settings, dynamo)),
  };
}
