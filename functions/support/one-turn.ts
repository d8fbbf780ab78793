import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Hint, WorkQueue } from '../../shared/ports/work-queue.ts';
import { recordFailures } from './figures.ts';
import { logger } from './telemetry.ts';

export interface Batch {
  readonly hint: Hint;
  /** Equal hints of one bucket came as one message. */
  readonly bucketMs: number;
  /** From a hook's answer until what it saw can be read. */
  readonly persistenceMs: number;
  /** Makes the work shorter, in the time that is waited anyway. */
  readonly prepare?: () => Promise<unknown>;
  readonly work: () => Promise<void>;
}

export interface BatchPorts {
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Turns that fail are tried again together, so that they never become more than one. */
const RETRY_EVERY_MS = 10 * SECOND_MS;

/**
 * Works a whole batch in one go: every hint of an ordered queue says the same.
 *
 * Never fails for what the work throws: a message that comes back holds its group up for minutes.
 * The hint is sent anew instead.
 */
export const onBatch =
  (
    { clock, queue, sleep }: BatchPorts,
    { hint, bucketMs, persistenceMs, prepare = async () => {}, work }: Batch,
  ) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    // Every line of the turn leads back to the messages that woke it.
    logger.appendKeys({ hints: [...new Set(Records.map(hintIdOf))] });
    // What fails here fails in the work as well, which tells.
    prepare().catch(() => {});
    const lookAt = computeReadableAt(Records, { bucketMs, persistenceMs });
    // The queue's clock is not ours: whatever they say, a bucket and what follows it are over by then.
    await sleep(Math.min(Math.max(lookAt - clock.now(), 0), bucketMs + persistenceMs));

    try {
      await work();
    } catch (error) {
      logger.error('turn failed', { topic: hint.topic, error });
      recordFailures(1);
      await queue.send(hint, computeNextRetry(clock.now()));
    }
    return { batchItemFailures: [] };
  };

/** Of an ordered queue `plan:<bucket>`: the same for all events of a moment. */
const hintIdOf = ({ attributes, messageId }: SQSRecord): string =>
  attributes.MessageDeduplicationId ?? messageId;

/** When what failed is tried again. */
export const computeNextRetry = (now: EpochMs): EpochMs =>
  (Math.floor(now / RETRY_EVERY_MS) + 1) * RETRY_EVERY_MS;

/**
 * When all that the hints are about can be read. Further hints of the newest message's bucket were
 * dropped as repetitions, so the bucket has to end first.
 */
export function computeReadableAt(
  records: readonly SQSRecord[],
  { bucketMs, persistenceMs }: Pick<Batch, 'bucketMs' | 'persistenceMs'>,
): EpochMs {
  const sent = records.map(({ attributes }) => Number(attributes.SentTimestamp));
  const newest = Math.max(...sent);
  return (Math.floor(newest / bucketMs) + 1) * bucketMs + persistenceMs;
}
