import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Log } from '../../shared/aws/log.ts';
import { isNoticeStale, listNotices } from '../../shared/aws/queues/interruption-notices.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { InterruptionNotice } from '../../shared/ports/work-queue.ts';
import { pause } from '../pause.ts';

export interface NoticeQueueParts {
  readonly sqs: SQSClient;
  /** Its URL. */
  readonly queue: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether notices are ours to take: on stand-by they are left to the owner. */
  readonly isOwner: () => boolean;
  /** Resolves when the notice is answered; a message whose notices failed comes again. */
  readonly onNotice: (notice: InterruptionNotice) => Promise<void>;
  /** A message is done, whatever it said. */
  readonly onDeleted: () => void;
}

/** The longest that SQS lets a reader wait. */
const WAIT_S = 20;
const RETRY_MS = 5 * SECOND_MS;

/**
 * Reads EC2's notices from the stack's queue, beside or instead of the function that does.
 *
 * @returns how to stop
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

/** What fails stays in the queue and comes again; the next notice does not wait for that. */
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
  if (!noticesInMessage)
    log({ level: 'warn', message: 'message ignored', fields: { messageId: MessageId } });
  for (const notice of noticesInMessage ?? []) {
    if (isNoticeStale(notice, clock.now())) {
      log({ level: 'warn', message: 'notice too old', fields: { notice } });
    } else await onNotice(notice);
  }
  await sqs.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
  onDeleted();
}
