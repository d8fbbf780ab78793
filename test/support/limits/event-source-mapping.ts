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

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;

interface MappingOptions extends Omit<FunctionShape, 'maxConcurrency'> {
  readonly timeline: Timeline;
  readonly queue: LimitedQueue;
  /** The handler of each execution environment: environments share neither caches nor connections. */
  readonly environments: readonly Handler[];
  readonly until: EpochMs;
}

/**
 * Hands the messages of a queue to a function as Lambda does, until a time: batches, a limited number
 * at once. The messages of a batch that exceeds the time limit come again.
 */
export async function pollQueue({ environments, ...options }: MappingOptions): Promise<void> {
  const { timeline } = options;
  const startPolling = async (handler: Handler, index: number): Promise<void> => {
    // Environments do not ask for messages at the same moment.
    await timeline.sleep((index * POLL_MS) / environments.length);
    await poll({ ...options, handler });
  };
  await Promise.all(environments.map(startPolling));
}

type EnvironmentOptions = Omit<MappingOptions, 'environments'> & { readonly handler: Handler };

async function poll(options: EnvironmentOptions): Promise<void> {
  const { queue, timeline, batchSize, until } = options;
  while (timeline.now() < until) {
    const messages = queue.receive(batchSize);
    if (messages.length === 0) await timeline.sleep(POLL_MS);
    else await runBatch(options, messages);
  }
}

async function runBatch(
  { queue, timeline, handler, timeoutMs }: EnvironmentOptions,
  messages: readonly QueueMessage[],
): Promise<void> {
  // A message may come again while this batch runs, and has another receipt then.
  const receipts = messages.map(({ id, receipt = '' }) => ({ id, receipt }));
  const timeout = timeline.sleep(timeoutMs).then(() => undefined);
  const answer = await Promise.race([handler({ Records: messages.map(toRecord) }), timeout]);
  if (!answer) return;
  const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const { id, receipt } of receipts) if (!failed.has(id)) queue.delete(receipt);
}

const toRecord = ({ id, body, receipt = '', receives, sentAt, group }: QueueMessage): SQSRecord => ({
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
