import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { HideMessages } from '../../shared/aws/queues/message-visibility.ts';
import { HINT_BUCKET_MS } from '../../shared/model/settings.ts';
import { type EpochMs, SECOND_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { HintOf, WorkQueue } from '../../shared/ports/work-queue.ts';
import { keepHidden } from './keep-hidden.ts';
import { recordFailures } from './metrics.ts';
import { logger } from './telemetry.ts';

/** When the hints of a batch were sent and received. */
export interface ReceivedBatch {
  /** The oldest hint. */
  readonly sentAt: EpochMs;
  readonly receivedAt: EpochMs;
}

export interface Batch<T extends OrderedTopic> {
  readonly hint: HintOf<T>;
  /** Delay between the hook's answer and the moment when the object can be read. */
  readonly persistenceMs: number;
  /** Runs while the batch waits anyway, to shorten the work. */
  readonly prepare?: () => Promise<unknown>;
  readonly work: (batch: ReceivedBatch) => Promise<void>;
}

type OrderedTopic = 'plan' | 'disrupt';

export interface BatchPorts<T extends OrderedTopic> {
  readonly clock: Clock;
  readonly queue: WorkQueue<T>;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Hides the messages of the batch. */
  readonly hide: HideMessages;
}

/** Failed batches are retried at common times, so that retries do not multiply. */
const RETRY_EVERY_MS = 10 * SECOND_MS;

/**
 * Handles a whole batch with one run: all hints of an ordered queue mean the same.
 *
 * Never throws an error of the work: a failed message would block its FIFO group for minutes. The
 * hint is sent again instead.
 */
export const onBatch =
  <T extends OrderedTopic>({ hide, ...ports }: BatchPorts<T>, batch: Batch<T>) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    // Every log line names the messages that started this run. The logger merges lists, so the last one goes first.
    logger.removeKeys(['hints']);
    logger.appendKeys({ hints: [...new Set(Records.map(hintIdOf))] });
    await keepHidden(hide, Records, () => runBatch(ports, batch, Records));
    return { batchItemFailures: [] };
  };

async function runBatch<T extends OrderedTopic>(
  { clock, queue, sleep }: Omit<BatchPorts<T>, 'hide'>,
  { hint, persistenceMs, prepare = async () => {}, work }: Batch<T>,
  records: readonly SQSRecord[],
): Promise<void> {
  const received = { sentAt: Math.min(...records.map(sentAtOf)), receivedAt: clock.now() };
  // The same failure shows in the work, where it is handled.
  prepare().catch(() => {});
  const lookAt = computeReadableAt(records, persistenceMs);
  // SQS stamps with its own clock: wait at most one bucket and one margin, whatever the stamps say.
  await sleep(Math.min(Math.max(lookAt - clock.now(), 0), HINT_BUCKET_MS + persistenceMs));

  try {
    await work(received);
  } catch (error) {
    logger.error('turn failed', { topic: hint.topic, error });
    recordFailures(1);
    await queue.send(hint, computeNextRetry(clock.now()));
  }
}

/**
 * The deduplication id of an ordered queue (`plan:<bucket>`) is the same for all events of a
 * bucket.
 */
const hintIdOf = ({ attributes, messageId }: SQSRecord): string => attributes.MessageDeduplicationId ?? messageId;

const sentAtOf = ({ attributes }: SQSRecord): EpochMs => Number(attributes.SentTimestamp);

export const computeNextRetry = (now: EpochMs): EpochMs => (Math.floor(now / RETRY_EVERY_MS) + 1) * RETRY_EVERY_MS;

/**
 * Computes when all objects that the hints announce can be read. Later hints of the newest
 * message's bucket were deduplicated, so this is after that bucket ends.
 */
export function computeReadableAt(records: readonly SQSRecord[], persistenceMs: number): EpochMs {
  const newest = Math.max(...records.map(sentAtOf));
  return (Math.floor(newest / HINT_BUCKET_MS) + 1) * HINT_BUCKET_MS + persistenceMs;
}
