import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseHint } from '../../../shared/aws/queues/hint-schema.ts';
import { MessageNotSentError } from '../../../shared/aws/queues/message-not-sent.ts';
import { type SendMessage, sdkMessageSender } from '../../../shared/aws/queues/send-message.ts';
import { signedMessageSender } from '../../../shared/aws/queues/signed-messages.ts';
import { sqsWorkQueue } from '../../../shared/aws/queues/work-queue.ts';
import { HINT_BUCKET_MS } from '../../../shared/model/settings.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { workQueueContract } from '../../contracts/work-queue-contract.ts';
import { NOON } from '../../support/builders.ts';
import { startSqs } from '../support/local-sqs.ts';

const sqs = await startSqs();
afterAll(() => sqs.stop());

// `NOON` starts a bucket.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  return () => vi.useRealTimers();
});

const pass = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);

/** The sender of most functions, and the one of the webhook intake, which has no client. */
const SENDERS: Readonly<Record<string, SendMessage>> = {
  SQS: sdkMessageSender(sqs.client),
  'SQS, signed by hand': signedMessageSender({
    region: 'us-east-1',
    accessKeyId: 'local',
    secretAccessKey: 'local',
    endpoint: sqs.endpoint,
  }),
};

async function aQueue(send: SendMessage = sdkMessageSender(sqs.client)) {
  const urls = await sqs.createQueues();
  const queue = sqsWorkQueue(send, { now: Date.now }, urls);
  return { urls, queue };
}

const QUEUES = {
  plan: 'plan',
  disrupt: 'disrupt',
  claim: 'claim',
  sweep: 'sweep',
  interruption: 'interruption',
  class: 'class',
};

/** Records the queue of each accepted message; fails once on request. */
function aCountingQueue() {
  const taken: string[] = [];
  let fails = false;
  const send: SendMessage = async ({ QueueUrl }) => {
    const isTaken = !fails;
    fails = false;
    if (!isTaken) throw new Error('SQS is away');
    taken.push(QueueUrl);
  };
  const fail = (): void => {
    fails = true;
  };
  return { queue: sqsWorkQueue(send, { now: Date.now }, QUEUES), taken, fail };
}

for (const [name, send] of Object.entries(SENDERS))
  workQueueContract(name, async () => {
    const { urls, queue } = await aQueue(send);
    return {
      queue,
      now: Date.now,
      async receiveFor(ms) {
        pass(ms);
        const swept = await sqs.drain(urls.sweep);
        // Like the function behind `sweep`.
        for (const hint of swept) if (hint.topic !== 'sweep') await queue.send(hint);
        const others = [urls.plan, urls.disrupt, urls.claim, urls.interruption, urls.class];
        const rest = await Promise.all(others.map(sqs.drain));
        return [...swept.filter(({ topic }) => topic === 'sweep'), ...rest.flat()];
      },
    };
  });

describe('hints over SQS', () => {
  it.each(['plan', 'disrupt'] as const)('are one message for each bucket of `%s`', async (topic) => {
    const { urls, queue } = await aQueue();

    for (let sent = 0; sent < 10; sent++) await queue.send({ topic });
    pass(HINT_BUCKET_MS - 1);
    await queue.send({ topic });
    pass(1);
    await queue.send({ topic });

    expect(await sqs.drain(urls[topic])).toEqual([{ topic }, { topic }]);
  });

  it('are not sent if SQS would drop them as duplicates: a burst costs one message per bucket', async () => {
    const { queue, taken } = aCountingQueue();

    await Promise.all(Array.from({ length: 500 }, () => queue.send({ topic: 'plan' })));
    await queue.send({ topic: 'disrupt' });
    pass(HINT_BUCKET_MS);
    await queue.send({ topic: 'plan' });

    expect(taken).toEqual(['plan', 'disrupt', 'plan']);
  });

  it('are sent again if SQS did not accept them, and delayed ones are never dropped', async () => {
    const { queue, taken, fail } = aCountingQueue();
    fail();
    await expect(queue.send({ topic: 'plan' })).rejects.toThrow('SQS is away');

    await queue.send({ topic: 'plan' });
    await queue.send({ topic: 'claim', claim: 'general-1' });
    await queue.send({ topic: 'claim', claim: 'general-1' });

    expect(taken).toEqual(['plan', 'claim', 'claim']);
  });

  it('are not merged across topics', async () => {
    const { urls, queue } = await aQueue();

    await queue.send({ topic: 'plan' });
    await queue.send({ topic: 'disrupt' });

    expect(await sqs.drain(urls.plan)).toEqual([{ topic: 'plan' }]);
    expect(await sqs.drain(urls.disrupt)).toEqual([{ topic: 'disrupt' }]);
  });

  it('for a FIFO queue wait in `sweep`, because SQS cannot delay a single message there', async () => {
    const { urls, queue } = await aQueue();

    await queue.send({ topic: 'plan' }, NOON + 10 * SECOND_MS);

    pass(9 * SECOND_MS);
    expect(await sqs.drain(urls.sweep)).toEqual([]);
    pass(SECOND_MS);
    expect(await sqs.drain(urls.sweep)).toEqual([{ topic: 'plan' }]);
    expect(await sqs.drain(urls.plan)).toEqual([]);
  });

  it('arrive after at most 15 minutes, the limit of SQS, and never a second early', async () => {
    const { urls, queue } = await aQueue();
    const hint: Hint = { topic: 'claim', claim: 'general-1' };

    await queue.send(hint, NOON + HOUR_MS);
    await queue.send(hint, NOON + 2_001);

    pass(2_999);
    expect(await sqs.drain(urls.claim)).toEqual([]);
    pass(1);
    expect(await sqs.drain(urls.claim)).toEqual([hint]);
    pass(15 * MINUTE_MS);
    expect(await sqs.drain(urls.claim)).toEqual([hint]);
  });

  it('arrive at once if they are overdue', async () => {
    const { urls, queue } = await aQueue();

    await queue.send({ topic: 'plan' }, NOON - HOUR_MS);

    expect(await sqs.drain(urls.plan)).toEqual([{ topic: 'plan' }]);
  });
});

const anyHint: fc.Arbitrary<Hint> = fc.oneof(
  fc.record({ topic: fc.constantFrom('plan' as const, 'disrupt' as const, 'sweep' as const) }),
  fc.record({ topic: fc.constant('claim' as const), claim: fc.string() }),
  fc.record({
    topic: fc.constant('interruption' as const),
    notice: fc.record({
      kind: fc.constantFrom(
        'spot-interruption' as const,
        'rebalance-recommendation' as const,
        'scheduled-change' as const,
        'state-change' as const,
      ),
      providerId: fc.string(),
      at: fc.nat(),
    }),
  }),
);

describe('parseHint', () => {
  it('reads back every hint', () => {
    fc.assert(
      fc.property(anyHint, (hint) => {
        expect(parseHint(JSON.stringify(hint))).toEqual(hint);
      }),
    );
  });

  it('ignores fields of a newer release', () => {
    const body = '{"topic":"claim","claim":"general-1","urgency":"high"}';

    expect(parseHint(body)).toEqual({ topic: 'claim', claim: 'general-1' });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"topic":'],
    ['a topic of no queue', '{"topic":"party"}'],
    ['a claim hint without a claim', '{"topic":"claim"}'],
    ['a notice of another kind', '{"topic":"interruption","notice":{"kind":"rumour"}}'],
    ['a list', '[]'],
    ['null', 'null'],
  ])('reads no hint in %s', (_, body) => {
    expect(parseHint(body)).toBeUndefined();
  });

  it('never throws, whatever the body', () => {
    fc.assert(
      fc.property(fc.string(), (body) => {
        parseHint(body);
      }),
    );
  });
});

describe('a message with a signed request', () => {
  const message = { QueueUrl: `${sqs.endpoint}/000000000000/nowhere`, MessageBody: '{}' };
  const identity = { region: 'us-east-1', accessKeyId: 'local', secretAccessKey: 'local' };

  it("is sent to the host of the queue's URL, and throws if the queue does not exist", async () => {
    await expect(signedMessageSender(identity)(message)).rejects.toThrow(/^SQS answered 400: .*QueueDoesNotExist/);
  });

  it('throws if the endpoint does not answer', async () => {
    const sending = signedMessageSender({ ...identity, endpoint: 'http://127.0.0.1:1' })(message);
    await expect(sending).rejects.toThrow(MessageNotSentError);
  });
});
