import { HINT_BUCKET_MS } from '../../model/settings.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Topic, WorkQueue } from '../../ports/work-queue.ts';
import type { SendMessage, SqsMessage } from './send-message.ts';

/**
 * Topics with a FIFO queue and a single message group, so that runs follow each other. The other
 * topics have standard queues.
 */
const FIFO_TOPICS: ReadonlySet<Topic> = new Set(['plan', 'disrupt']);

/** The longest delay of a message in SQS. */
const MAX_DELAY_S = 900;

/**
 * The work queue over SQS, with one queue per topic, because an event source mapping deletes the
 * messages that its filter does not match.
 *
 * A FIFO queue cannot delay a single message. A delayed hint for such a topic travels through the
 * `sweep` queue, whose consumer forwards it with `send(hint)` when it is due.
 *
 * A hint that is due in more than 15 minutes arrives early. That is harmless: the consumer re-reads
 * the state, finds nothing due and schedules it again; or the sweep finds what is overdue.
 *
 * SQS drops all but the first equal hint of a bucket, even after it was handled: the consumer must not read the
 * state before the bucket of its newest message has ended.
 *
 * @param queues - URLs of the queues
 */
export function sqsWorkQueue(send: SendMessage, clock: Clock, queues: Readonly<Record<Topic, string>>): WorkQueue {
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
              ...toDeduplicationBucket(hint.topic, now),
            }
          : { QueueUrl: queues[toQueueTopic(hint.topic)], MessageBody, DelaySeconds: delayS };
      await sendOnce(message);
    },
  };
}

const toQueueTopic = (topic: Topic): Topic => (FIFO_TOPICS.has(topic) ? 'sweep' : topic);

/** Rounded up, so that a message is never early by a fraction of a second. */
const computeDelayS = (at: EpochMs, now: EpochMs): number =>
  Math.min(Math.max(Math.ceil((at - now) / SECOND_MS), 0), MAX_DELAY_S);

const toDeduplicationBucket = (
  topic: Topic,
  now: EpochMs,
): Pick<SqsMessage, 'MessageGroupId' | 'MessageDeduplicationId'> => ({
  MessageGroupId: topic,
  MessageDeduplicationId: `${topic}:${Math.floor(now / HINT_BUCKET_MS)}`,
});

/**
 * Drops messages that SQS would drop as duplicates. In a burst every pod's event requests the same
 * plan: only the first message of each bucket is sent.
 */
function dropRepeatedMessages(send: SendMessage): SendMessage {
  // By queue; only the latest bucket is kept.
  const latest = new Map<string, { readonly id: string; readonly sent: Promise<void> }>();

  return async (message) => {
    const { QueueUrl, MessageDeduplicationId: id } = message;
    if (id === undefined) return send(message);
    const previous = latest.get(QueueUrl);
    if (previous?.id === id) return previous.sent;

    const entry = { id, sent: send(message) };
    latest.set(QueueUrl, entry);
    // A message that SQS did not accept may be sent again.
    entry.sent.catch(() => {
      if (latest.get(QueueUrl) === entry) latest.delete(QueueUrl);
    });
    return entry.sent;
  };
}
