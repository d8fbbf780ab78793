import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { EpochMs } from '../../../shared/model/time.ts';
import type { LimitedQueue, QueueMessage } from './limited-queue.ts';
import type { Timeline } from './timeline.ts';

const POLL_MS = 100;

/** How Lambda calls a function that consumes a queue. */
export interface FunctionShape {
  readonly batchSize: number;
  readonly maxConcurrency: number;
  readonly timeoutMs: number;
}

export interface MappingOptions extends FunctionShape {
  readonly timeline: Timeline;
  readonly queue: LimitedQueue;
  readonly handler: (event: SQSEvent) => Promise<SQSBatchResponse>;
}

export interface MappingReport {
  batches: number;
  timeouts: number;
}

/**
 * Hands the messages of a queue to a function as Lambda does, until the queue is empty: batches, a
 * limited number at a time. The messages of a batch that exceeds the time limit come again.
 */
export async function drainQueue(options: MappingOptions): Promise<MappingReport> {
  const report: MappingReport = { batches: 0, timeouts: 0 };
  const { queue, maxConcurrency } = options;
  const isOver = (): boolean => queue.size === 0;
  await Promise.all(Array.from({ length: maxConcurrency }, () => poll(options, report, isOver)));
  return report;
}

export interface PollingOptions
  extends Pick<MappingOptions, 'timeline' | 'queue' | 'batchSize' | 'timeoutMs'> {
  /** The handler of each execution environment: environments share neither caches nor connections. */
  readonly environments: readonly MappingOptions['handler'][];
  readonly until: EpochMs;
}

/** The same until a time, for a queue to which the functions send messages while they run. */
export async function pollQueue({
  environments,
  until,
  ...options
}: PollingOptions): Promise<MappingReport> {
  const report: MappingReport = { batches: 0, timeouts: 0 };
  const isOver = (): boolean => options.timeline.now() >= until;
  await Promise.all(environments.map((handler) => poll({ ...options, handler }, report, isOver)));
  return report;
}

async function poll(
  options: Omit<MappingOptions, 'maxConcurrency'>,
  report: MappingReport,
  isOver: () => boolean,
): Promise<void> {
  const { queue, timeline, batchSize } = options;
  while (!isOver()) {
    const messages = queue.receive(batchSize);
    if (messages.length === 0) {
      await timeline.sleep(POLL_MS);
      continue;
    }
    report.batches += 1;
    await runBatch(options, report, messages);
  }
}

async function runBatch(
  { queue, timeline, handler, timeoutMs }: Omit<MappingOptions, 'maxConcurrency'>,
  report: MappingReport,
  messages: readonly QueueMessage[],
): Promise<void> {
  // A message may come again while this batch runs, and has another receipt then.
  const receipts = messages.map(({ id, receipt = '' }) => ({ id, receipt }));
  const timeout = timeline.sleep(timeoutMs).then(() => undefined);
  const answer = await Promise.race([handler({ Records: messages.map(toRecord) }), timeout]);
  if (!answer) {
    report.timeouts += 1;
    return;
  }
  const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const { id, receipt } of receipts) if (!failed.has(id)) queue.delete(receipt);
}

const toRecord = ({
  id,
  body,
  receipt = '',
  receives,
  sentAt,
  group,
}: QueueMessage): SQSRecord => ({
  messageId: id,
  receiptHandle: receipt,
  body,
  attributes: {
    ApproximateReceiveCount: String(receives),
    SentTimestamp: String(sentAt),
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: String(sentAt),
    ...(group !== undefined && { MessageGroupId: group }),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:queue',
  awsRegion: 'us-east-1',
});
