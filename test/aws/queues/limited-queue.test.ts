import { describe, expect, it } from 'vitest';
import { parseHint } from '../../../shared/aws/queues/hint-schema.ts';
import { sdkMessageSender } from '../../../shared/aws/queues/send-message.ts';
import { sqsWorkQueue } from '../../../shared/aws/queues/work-queue.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Topic } from '../../../shared/ports/work-queue.ts';
import { workQueueContract } from '../../contracts/work-queue-contract.ts';
import { NOON } from '../../support/builders.ts';
import { createQueueClient, LimitedQueue } from '../../support/limits/limited-queue.ts';

const TOPICS = ['plan', 'claim', 'disrupt', 'sweep', 'interruption', 'class'] as const;
const urlOf = (topic: Topic): string => `https://sqs.us-east-1.amazonaws.com/123456789012/${topic}`;
const URLS = {
  plan: urlOf('plan'),
  claim: urlOf('claim'),
  disrupt: urlOf('disrupt'),
  sweep: urlOf('sweep'),
  interruption: urlOf('interruption'),
  class: urlOf('class'),
};

function aTime() {
  let now = NOON;
  return {
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
}

workQueueContract('SQS with its limits', async () => {
  const time = aTime();
  const queues = Object.fromEntries(
    TOPICS.map((topic) => {
      const isFifo = topic === 'plan' || topic === 'disrupt';
      return [urlOf(topic), new LimitedQueue({ timeline: time, isFifo })] as const;
    }),
  );
  const workQueue = sqsWorkQueue(sdkMessageSender(createQueueClient(queues)), time, URLS);
  const drain = (topic: Topic) => {
    const queue = queues[urlOf(topic)];
    const messages = queue?.receive(10) ?? [];
    for (const { receipt = '' } of messages) queue?.delete(receipt);
    return messages.flatMap(({ body }) => parseHint(body) ?? []);
  };
  return {
    queue: workQueue,
    now: time.now,
    async receiveFor(ms) {
      time.pass(ms);
      const swept = drain('sweep');
      // Like the function behind `sweep`.
      for (const hint of swept) if (hint.topic !== 'sweep') await workQueue.send(hint);
      const others = TOPICS.filter((topic) => topic !== 'sweep').flatMap(drain);
      return [...swept.filter(({ topic }) => topic === 'sweep'), ...others];
    },
  };
});

describe('a queue with the limits of SQS', () => {
  const bodies = (queue: LimitedQueue) => queue.receive(10).map(({ body }) => body);

  it('hides a message that was received until its visibility timeout', () => {
    const time = aTime();
    const queue = new LimitedQueue({ timeline: time, visibilityMs: 20 * SECOND_MS });
    queue.send({ body: 'a' });

    expect(bodies(queue)).toEqual(['a']);
    time.pass(20 * SECOND_MS - 1);
    expect(bodies(queue)).toEqual([]);
    time.pass(1);
    expect(bodies(queue)).toEqual(['a']);
  });

  it('moves a message to the dead letters after its last attempt', () => {
    const time = aTime();
    const queue = new LimitedQueue({ timeline: time, visibilityMs: 1, maxReceiveCount: 2 });
    queue.send({ body: 'a' });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(bodies(queue)).toEqual(['a']);
      time.pass(1);
    }

    expect(bodies(queue)).toEqual([]);
    expect(queue.deadLetters.map(({ body }) => body)).toEqual(['a']);
    expect(queue.size).toBe(0);
  });

  it('delivers the next message of a FIFO group only after the one before it', () => {
    const queue = new LimitedQueue({ timeline: aTime(), isFifo: true });
    queue.send({ body: 'a', group: 'g', deduplicationId: '1' });
    const [first] = queue.receive(1);
    queue.send({ body: 'b', group: 'g', deduplicationId: '2' });
    queue.send({ body: 'b again', group: 'g', deduplicationId: '2' });
    expect(bodies(queue)).toEqual([]);

    queue.delete(first?.receipt ?? '');
    expect(bodies(queue)).toEqual(['b']);
  });

  it('refuses to deliver more messages than may be in flight', () => {
    const queue = new LimitedQueue({ timeline: aTime(), maxInFlight: 2 });
    for (const body of ['a', 'b', 'c']) queue.send({ body });

    expect(bodies(queue)).toHaveLength(2);
    expect(() => queue.receive(1)).toThrow('Too many messages in flight');
  });
});
