import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { sdkMessageSender } from '../../../shared/aws/queues/send-message.ts';

describe('messages that are sent at the same time', () => {
  const client = new SQSClient({ region: 'us-east-1' });
  const mock = mockClient(client);
  beforeEach(() => mock.reset());
  const send = sdkMessageSender(client);
  const sendMany = (count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, index) =>
        send({ QueueUrl: 'https://sqs/claim', MessageBody: `${index}`, DelaySeconds: index }),
      ),
    );

  it('share requests of ten, so that a sweep of a large fleet sends few', async () => {
    mock.on(SendMessageBatchCommand).resolves({});
    mock.on(SendMessageCommand).resolves({});

    const results = await sendMany(21);

    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    const batches = mock.commandCalls(SendMessageBatchCommand).map(({ args: [{ input }] }) => input);
    expect(batches.map(({ Entries = [] }) => Entries.length)).toEqual([10, 10]);
    expect(batches[0]?.Entries?.[3]).toEqual({ Id: '3', MessageBody: '3', DelaySeconds: 3 });
    expect(mock.commandCalls(SendMessageCommand)).toHaveLength(1);
  });

  it('fail one by one if SQS refuses some of them, and all if it refuses the request', async () => {
    mock.on(SendMessageBatchCommand).resolvesOnce({
      Failed: [{ Id: '1', Code: 'InternalError', Message: 'try again', SenderFault: false }],
    });
    expect((await sendMany(3)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);

    mock.on(SendMessageBatchCommand).rejectsOnce(new Error('SQS is away'));
    expect((await sendMany(2)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('do not wait for messages of another queue', async () => {
    mock.on(SendMessageCommand).resolves({});

    await Promise.all([
      send({ QueueUrl: 'https://sqs/claim', MessageBody: 'a' }),
      send({ QueueUrl: 'https://sqs/class', MessageBody: 'b' }),
    ]);

    expect(mock.commandCalls(SendMessageCommand)).toHaveLength(2);
  });
});
