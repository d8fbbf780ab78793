import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sdkMessageHider } from '../../../shared/aws/queues/message-visibility.ts';
import { sdkMessageSender } from '../../../shared/aws/queues/send-message.ts';
import { sqsWorkQueue } from '../../../shared/aws/queues/work-queue.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { startSqs } from '../support/local-sqs.ts';

const sqs = await startSqs();
afterAll(() => sqs.stop());

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  return () => vi.useRealTimers();
});

/** The visibility timeout of the plan queue. */
const QUEUE_TIMEOUT_SECONDS = 150;
const pass = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);

/** An invocation has received one hint, and another one waits in the same group. */
async function aReceivedHint() {
  const { plan, ...others } = await sqs.createQueues();
  const clock = { now: Date.now };
  const queue = sqsWorkQueue(sdkMessageSender(sqs.client), clock, { plan, ...others });
  const receive = async () => {
    const { Messages = [] } = await sqs.client.send(
      new ReceiveMessageCommand({ QueueUrl: plan, VisibilityTimeout: QUEUE_TIMEOUT_SECONDS }),
    );
    return Messages.map(({ ReceiptHandle = '' }) => ReceiptHandle);
  };
  await queue.send({ topic: 'plan' });
  const handles = await receive();
  pass(SECOND_MS);
  await queue.send({ topic: 'plan' });
  return { handles, receive, hide: sdkMessageHider(sqs.client, plan) };
}

describe('the messages of an invocation that died', () => {
  it('come back half a minute after its last sign of life, with their whole group', async () => {
    const { handles, receive, hide } = await aReceivedHint();
    await hide(handles, 30);

    pass(29 * SECOND_MS);
    expect(await receive()).toEqual([]);
    pass(2 * SECOND_MS);
    expect(await receive()).toHaveLength(1);
  });

  it('stay hidden while it renews the time', async () => {
    const { handles, receive, hide } = await aReceivedHint();
    for (let renewed = 0; renewed < 5; renewed += 1) {
      await hide(handles, 30);
      pass(20 * SECOND_MS);
      expect(await receive()).toEqual([]);
    }
  });

  it('are reported if SQS does not know them', async () => {
    const { hide } = await aReceivedHint();

    await expect(hide(['another'], 30)).rejects.toThrow();
  });
});
