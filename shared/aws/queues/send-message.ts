import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { limitConcurrency } from '../../model/concurrency.ts';
import { MessageNotSentError } from './message-not-sent.ts';

/** The fields of an SQS message that Mortise uses, in SQS's names. */
export interface SqsMessage {
  readonly QueueUrl: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

/** Sends a message. Throws if SQS did not accept it. */
export type SendMessage = (message: SqsMessage) => Promise<void>;

/** The number of messages that SQS takes in one request. */
const MAX_BATCH = 10;
/** Fewer than the SDK's connections: a request that waits for one counts as unanswered. */
const MAX_REQUESTS = 20;

interface UnsentMessage {
  readonly message: SqsMessage;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends through the SDK, for functions that load it anyway. Messages for the same queue that are sent
 * at the same time share requests: a sweep may send a message for each of thousands of claims.
 */
export function sdkMessageSender(sqs: SQSClient): SendMessage {
  const unsentByQueue = new Map<string, UnsentMessage[]>();
  const limited = limitConcurrency(MAX_REQUESTS);

  function sendCollected(queue: string): void {
    const unsent = unsentByQueue.get(queue) ?? [];
    unsentByQueue.delete(queue);
    for (let first = 0; first < unsent.length; first += MAX_BATCH) {
      const batch = unsent.slice(first, first + MAX_BATCH);
      limited(() => sendBatch(sqs, queue, batch)).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
  }

  return (message) =>
    new Promise((resolve, reject) => {
      const { QueueUrl } = message;
      const unsent = unsentByQueue.get(QueueUrl);
      if (unsent) {
        unsent.push({ message, resolve, reject });
        return;
      }
      unsentByQueue.set(QueueUrl, [{ message, resolve, reject }]);
      // After the code that is running, which may send more.
      queueMicrotask(() => sendCollected(QueueUrl));
    });
}

async function sendBatch(sqs: SQSClient, QueueUrl: string, batch: readonly UnsentMessage[]): Promise<void> {
  const [first] = batch;
  if (first && batch.length === 1) {
    await sqs.send(new SendMessageCommand(first.message));
    first.resolve();
    return;
  }
  const Entries = batch.map(({ message: { QueueUrl: _, ...entry } }, index) => ({
    ...entry,
    Id: `${index}`,
  }));
  const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  const refused = new Map(Failed.map((entry) => [entry.Id, entry]));
  for (const [index, { resolve, reject }] of batch.entries()) {
    const failure = refused.get(`${index}`);
    if (failure) reject(new MessageNotSentError(`SQS answered ${failure.Code}: ${failure.Message}`));
    else resolve();
  }
}
