import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import { dynamoInstallations } from '../../../shared/aws/dynamodb/installations.ts';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { parseJson } from '../../../shared/aws/parse-json.ts';
import { awsPollLoop } from '../../../shared/aws/queues/poll-loop.ts';
import type { PollLoop } from '../../../shared/ports/work-queue.ts';
import { installationsContract } from '../../contracts/installations-contract.ts';
import { pollLoopContract } from '../../contracts/work-queue-contract.ts';
import { aFakeLoop } from '../../controllers/webhooks/fake-poll.ts';
import { aFakeSetup } from '../../controllers/webhooks/fake-setup.ts';
import { startDynamo } from '../support/local-dynamo.ts';
import { startSqs } from '../support/local-sqs.ts';

const [dynamo, sqs] = await Promise.all([startDynamo(), startSqs()]);
afterAll(() => Promise.all([dynamo.stop(), sqs.stop()]));

const NOW = 1_000_000;
const aTable = async () => dynamoTable(dynamo.client, { table: await dynamo.createTable(), cluster: 'demo' });

async function aLoop(): Promise<PollLoop & { readonly queue: string }> {
  const { QueueUrl: queue = '' } = await sqs.client.send(new CreateQueueCommand({ QueueName: 'poll' }));
  const parts = { table: await aTable(), sqs: sqs.client, clock: { now: () => NOW } };
  return { ...awsPollLoop(parts, queue), queue };
}

pollLoopContract('DynamoDB and SQS', aLoop);
pollLoopContract('memory, as the tests of the loop have it', async () => aFakeLoop());
installationsContract('DynamoDB', async () => dynamoInstallations(await aTable()));
installationsContract('memory, as the tests of the set-up have it', async () => aFakeSetup().ports.installations);

describe('the message to the next turn', () => {
  const message = { generation: 3, turn: 7, until: NOW + 60_000, waiting: 'pods' };

  it('arrives at once if it is due', async () => {
    const loop = await aLoop();
    await loop.send(message, NOW - 1);

    const { Messages = [] } = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl: loop.queue }));
    expect(Messages.map(({ Body = '' }) => parseJson(Body))).toEqual([message]);
  });

  it('is delayed by SQS until it is due', async () => {
    const loop = await aLoop();
    await loop.send(message, NOW + 5_000);

    const { Messages = [] } = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl: loop.queue }));
    expect(Messages).toEqual([]);
  });
});
