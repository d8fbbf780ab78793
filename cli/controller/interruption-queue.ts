import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Log } from '../../shared/aws/log.ts';
import { isNoticeStale, listNotices } from '../../shared/aws/queues/interruption-notices.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { InterruptionNotice } from '../../shared/ports/work-queue.ts';
import { pause } from '../signals.ts';

export interface NoticeQueueParts {
  readonly sqs: SQSClient;
  /** URL of the queue. */
  readonly queue: string;
  readonly clock: Clock;
  readonly log: Log;
  /** False on stand-by: notices are left to the owner. */
  readonly isOwner: () => boolean;
  /** Resolves when the notice is handled; if it rejects, SQS delivers the message again. */
  readonly onNotice: (notice: InterruptionNotice) => Promise<void>;
  /** Called for each deleted message, whatever it contained. */
  readonly onDeleted: () => void;
}

/** The maximum of SQS long polling. */
const WAIT_S = 20;
const RETRY_MS = 5 * SECOND_MS;

/**
 * Reads EC2's notices from the stack's queue, in addition to or instead of the Lambda function.
 *
 * @returns a function that stops the reader
 */
export function readNotices(parts: NoticeQueueParts): () => Promise<void> {
  const stop = new AbortController();
  const reading = readUntilStopped(parts, stop.signal);
  return async () => {
    stop.abort();
    await reading;
  };
}

async function readUntilStopped(parts: NoticeQueueParts, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    if (!parts.isOwner()) await pause(SECOND_MS, stop);
    else await readOnce(parts, stop);
  }
}

async function readOnce(parts: NoticeQueueParts, stop: AbortSignal): Promise<void> {
  const { sqs, queue, log } = parts;
  try {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queue,
        WaitTimeSeconds: WAIT_S,
        MaxNumberOfMessages: 10,
      }),
      { abortSignal: stop },
    );
    await Promise.all(Messages.map((message) => handleOrKeep(parts, message)));
  } catch (error) {
    if (stop.aborted) return;
    log({ level: 'warn', message: 'notices not read', fields: { error: String(error) } });
    await pause(RETRY_MS, stop);
  }
}

/** A failed message stays in the queue and is delivered again; it does not delay the next one. */
async function handleOrKeep(parts: NoticeQueueParts, message: Message): Promise<void> {
  try {
    await handle(parts, message);
  } catch (error) {
    const fields = { messageId: message.MessageId, error: String(error) };
    parts.log({ level: 'error', message: 'message failed', fields });
  }
}

async function handle(parts: NoticeQueueParts, { Body = '', ReceiptHandle, MessageId }: Message) {
  const { sqs, queue, clock, log, onNotice, onDeleted } = parts;
  const noticesInMessage = listNotices(Body);
  if (!noticesInMessage) log({ level: 'warn', message: 'message ignored', fields: { messageId: MessageId } });
  for (const notice of noticesInMessage ?? []) {
    if (isNoticeStale(notice, clock.now())) {
      log({ level: 'warn', message: 'notice too old', fields: { notice } });
    } else await onNotice(notice);
  }
  await sqs.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
  onDeleted();
}
