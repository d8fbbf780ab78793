import { createHash, randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { inProcessService, ServiceError } from './sdk-service.ts';
import type { Timeline } from './timeline.ts';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_IN_FLIGHT = 120_000;
const MAX_IN_FLIGHT_FIFO = 20_000;
const MAX_RECEIVED = 10;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_DELAY_S = 900;
const DEDUPLICATED_FOR_MS = 5 * MINUTE_MS;

export interface LimitedQueueOptions {
  readonly timeline: Pick<Timeline, 'now'>;
  readonly isFifo?: boolean;
  readonly visibilityMs?: number;
  /** A message that was received this often without being deleted moves to the dead letters. */
  readonly maxReceiveCount?: number;
  readonly maxInFlight?: number;
}

export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  readonly group?: string;
  readonly deduplicationId?: string;
  readonly sentAt: EpochMs;
  receives: number;
  visibleAt: EpochMs;
  receipt?: string;
}

export interface SentMessage {
  readonly body: string;
  readonly delayMs?: number;
  readonly group?: string;
  readonly deduplicationId?: string;
}

/**
 * A queue in memory with SQS's rules: visibility timeout, number of messages in flight, order and
 * deduplication of FIFO groups, redrive to a dead-letter queue.
 */
export class LimitedQueue {
  readonly deadLetters: QueueMessage[] = [];
  readonly #options: Required<LimitedQueueOptions>;
  #messages: QueueMessage[] = [];
  readonly #deduplicated = new Map<string, EpochMs>();

  constructor(options: LimitedQueueOptions) {
    const { isFifo = false } = options;
    this.#options = {
      isFifo,
      visibilityMs: 30 * SECOND_MS,
      maxReceiveCount: Number.POSITIVE_INFINITY,
      maxInFlight: isFifo ? MAX_IN_FLIGHT_FIFO : MAX_IN_FLIGHT,
      ...options,
    };
  }

  /** Messages that were not deleted, whether they are visible or not. */
  get size(): number {
    return this.#messages.length;
  }

  send({ body, delayMs = 0, group, deduplicationId }: SentMessage): string {
    const { isFifo, timeline } = this.#options;
    const now = timeline.now();
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
      throw new ServiceError('InvalidParameterValue', 'Message must be shorter than 1048576 bytes');
    }
    if (isFifo && (group === undefined || deduplicationId === undefined || delayMs > 0)) {
      throw new ServiceError('InvalidParameterValue', 'a FIFO message needs its group and id');
    }
    if (!isFifo && delayMs > MAX_DELAY_S * SECOND_MS) {
      throw new ServiceError('InvalidParameterValue', `DelaySeconds exceeds ${MAX_DELAY_S}`);
    }
    const id = randomUUID();
    if (deduplicationId !== undefined) {
      const isRepeated = now - (this.#deduplicated.get(deduplicationId) ?? -Infinity);
      if (isRepeated < DEDUPLICATED_FOR_MS) return id;
      this.#deduplicated.set(deduplicationId, now);
    }
    const fifo = {
      ...(group !== undefined && { group }),
      ...(deduplicationId && { deduplicationId }),
    };
    this.#messages.push({ id, body, ...fifo, sentAt: now, receives: 0, visibleAt: now + delayMs });
    return id;
  }

  /** @throws ServiceError - OverLimit, if too many messages are in flight in a standard queue */
  receive(max: number): readonly QueueMessage[] {
    const { visibilityMs, maxReceiveCount, maxInFlight, isFifo, timeline } = this.#options;
    const now = timeline.now();
    const inFlight = this.#messages.filter((one) => one.receipt && one.visibleAt > now);
    if (inFlight.length >= maxInFlight) {
      if (isFifo) return [];
      throw new ServiceError('OverLimit', 'Too many messages in flight');
    }
    const blocked = new Set(inFlight.flatMap(({ group }) => group ?? []));
    const received: QueueMessage[] = [];
    const room = Math.min(max, MAX_RECEIVED, maxInFlight - inFlight.length);
    for (const message of [...this.#messages]) {
      if (received.length === room) break;
      if (message.visibleAt > now || blocked.has(message.group ?? '')) continue;
      if (message.receives >= maxReceiveCount) {
        this.#remove(message);
        this.deadLetters.push(message);
        continue;
      }
      message.receives += 1;
      message.visibleAt = now + visibilityMs;
      message.receipt = randomUUID();
      received.push(message);
    }
    return received;
  }

  /** A receipt of an earlier delivery has no effect, as in SQS. */
  delete(receipt: string): void {
    const message = this.#messages.find((one) => one.receipt === receipt);
    if (message) this.#remove(message);
  }

  changeVisibility(receipt: string, ms: number): void {
    const { timeline } = this.#options;
    const message = this.#messages.find((one) => one.receipt === receipt);
    if (!message) throw new ServiceError('MessageNotInflight', 'the message is not in flight');
    message.visibleAt = timeline.now() + ms;
  }

  #remove(message: QueueMessage): void {
    this.#messages = this.#messages.filter((one) => one !== message);
  }
}

const sendSchema = z.object({
  QueueUrl: z.string(),
  MessageBody: z.string(),
  DelaySeconds: z.int().default(0),
  MessageGroupId: z.string().exactOptional(),
  MessageDeduplicationId: z.string().exactOptional(),
});
const sendBatchSchema = z.object({
  QueueUrl: z.string(),
  Entries: z.array(sendSchema.omit({ QueueUrl: true }).extend({ Id: z.string() })),
});
const receiveSchema = z.object({
  QueueUrl: z.string(),
  MaxNumberOfMessages: z.int().default(1),
});
const receiptSchema = z.object({
  QueueUrl: z.string(),
  ReceiptHandle: z.string(),
  VisibilityTimeout: z.int().default(0),
});

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** An SQS client whose queues are these, by URL. */
export function createQueueClient(queues: Readonly<Record<string, LimitedQueue>>): SQSClient {
  const queueOf = (url: string): LimitedQueue => {
    const queue = queues[url];
    if (!queue) throw new ServiceError('QueueDoesNotExist', `there is no queue ${url}`);
    return queue;
  };
  const send = ({ QueueUrl, MessageBody, DelaySeconds, ...fifo }: z.output<typeof sendSchema>) => {
    const { MessageGroupId: group, MessageDeduplicationId: deduplicationId } = fifo;
    const MessageId = queueOf(QueueUrl).send({
      body: MessageBody,
      delayMs: DelaySeconds * SECOND_MS,
      ...(group !== undefined && { group }),
      ...(deduplicationId !== undefined && { deduplicationId }),
    });
    return { MessageId, MD5OfMessageBody: md5(MessageBody) };
  };

  return new SQSClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
    requestHandler: inProcessService(async (operation, input) => {
      switch (operation) {
        case 'SendMessage':
          return send(sendSchema.parse(input));
        case 'SendMessageBatch': {
          const { QueueUrl, Entries } = sendBatchSchema.parse(input);
          return {
            Successful: Entries.map(({ Id, ...entry }) => ({
              Id,
              ...send({ QueueUrl, ...entry }),
            })),
          };
        }
        case 'ReceiveMessage': {
          const { QueueUrl, MaxNumberOfMessages } = receiveSchema.parse(input);
          const messages = queueOf(QueueUrl).receive(MaxNumberOfMessages);
          return { Messages: messages.map(toAnswer) };
        }
        case 'DeleteMessage': {
          const { QueueUrl, ReceiptHandle } = receiptSchema.parse(input);
          queueOf(QueueUrl).delete(ReceiptHandle);
          return {};
        }
        case 'ChangeMessageVisibility': {
          const { QueueUrl, ReceiptHandle, VisibilityTimeout } = receiptSchema.parse(input);
          queueOf(QueueUrl).changeVisibility(ReceiptHandle, VisibilityTimeout * SECOND_MS);
          return {};
        }
        default:
          throw new ServiceError('InvalidAction', `no operation ${operation}`);
      }
    }),
  });
}

const toAnswer = ({ id, body, receipt, receives }: QueueMessage) => ({
  MessageId: id,
  Body: body,
  ReceiptHandle: receipt,
  MD5OfBody: md5(body),
  Attributes: { ApproximateReceiveCount: String(receives) },
});
