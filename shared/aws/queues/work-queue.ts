import { DEFAULT_TIMING } from '../../model/settings.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Hint, WorkQueue } from '../../ports/work-queue.ts';
import type { SendMessage, SqsMessage } from './send-message.ts';

export type Topic = Hint['topic'];

/**
 * A FIFO queue with one message group, so that one run follows the other: `plan`, `disrupt`. The
 * others are standard queues.
 */
const FIFO_TOPICS: ReadonlySet<Topic> = new Set(['plan', 'disrupt']);

/** The longest that SQS holds a message back. */
const MAX_DELAY_S = 900;

/**
 * One queue for each topic, for an event source mapping deletes what its filter does not match.
 *
 * A FIFO queue cannot hold back a single message. So a hint for one of those travels through `sweep`
 * until its time has come, and whoever reads `sweep` sends on what is not meant for it: `send(hint)`.
 *
 * A wake-up further away than 15 minutes comes early. That is harmless: the receiver looks, sees that
 * nothing is due and asks again; or the sweep finds what is overdue.
 *
 * @param queues - the queues' URLs
 * @param bucketMs - SQS drops equal hints of one bucket but the first, even when that was handled
 *   already: the handler must not look before the bucket of its newest message has ended
 */
export function sqsWorkQueue(
  send: SendMessage,
  clock: Clock,
  queues: Readonly<Record<Topic, string>>,
  bucketMs: number = DEFAULT_TIMING.bucketMs,
): WorkQueue {
  const sendOnce = dropRepeatedMessages(send);
  return {
    async send(hint, at) {
      const now = clock.now();
      const delayS = computeDelayS(at ?? now, now);
      const MessageBody = JSON.stringify(hint);
      const message =
        delayS === 0 && FIFO_TOPICS.has(hint.topic)
          ? {
              QueueUrl: queues[hint.topic],
              MessageBody,
              ...toDeduplicationBucket(hint.topic, now, bucketMs),
            }
          : { QueueUrl: queues[toCarrier(hint.topic)], MessageBody, DelaySeconds: delayS };
      await sendOnce(message);
    },
  };
}

const toCarrier = (topic: Topic): Topic => (FIFO_TOPICS.has(topic) ? 'sweep' : topic);

/** Never early by a fraction of a second. */
const computeDelayS = (at: EpochMs, now: EpochMs): number =>
  Math.min(Math.max(Math.ceil((at - now) / SECOND_MS), 0), MAX_DELAY_S);

const toDeduplicationBucket = (
  topic: Topic,
  now: EpochMs,
  bucketMs: number,
): Pick<SqsMessage, 'MessageGroupId' | 'MessageDeduplicationId'> => ({
  MessageGroupId: topic,
  MessageDeduplicationId: `${topic}:${Math.floor(now / bucketMs)}`,
});

/**
 * Leaves out what SQS would drop as a repetition. In a burst every pod's event asks for the same plan:
 * each bucket's first message is sent, and those that follow cost nothing but the call that brought
 * them.
 */
function dropRepeatedMessages(send: SendMessage): SendMessage {
  // By queue: an older bucket does not come back.
  const latest = new Map<string, { readonly id: string; readonly sent: Promise<void> }>();

  return async (message) => {
    const { QueueUrl, MessageDeduplicationId: id } = message;
    if (id === undefined) return send(message);
    const previous = latest.get(QueueUrl);
    if (previous?.id === id) return previous.sent;

    const entry = { id, sent: send(message) };
    latest.set(QueueUrl, entry);
    // What SQS did not take is no repetition.
    entry.sent.catch(() => {
      if (latest.get(QueueUrl) === entry) latest.delete(QueueUrl);
    });
    return entry.sent;
  };
}
