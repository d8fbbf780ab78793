import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { LimitedQueue, QueueMessage } from './limited-queue.ts';
import type { Timeline } from './timeline.ts';

const POLL_MS = 100;

export interface MappingOptions {
  readonly timeline: Timeline;
  readonly queue: LimitedQueue;
  readonly handler: (event: SQSEvent) => Promise<SQSBatchResponse>;
  readonly batchSize: number;
  readonly maxConcurrency: number;
  readonly timeoutMs: number;
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
  const { maxConcurrency } = options;
  await Promise.all(Array.from({ length: maxConcurrency }, () => poll(options, report)));
  return report;
}

async function poll(options: MappingOptions, report: MappingReport): Promise<void> {
  const { queue, timeline, batchSize } = options;
  while (queue.size > 0) {
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
  { queue, timeline, handler, timeoutMs }: MappingOptions,
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
