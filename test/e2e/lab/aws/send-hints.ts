import { ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { CloudClients } from './cloud-clients.ts';

/** The queues of the stack by the start of their logical id. */
const QUEUE_OF = {
  plan: /QueuesPlan/,
  claim: /QueuesClaim/,
  sweep: /QueuesSweep/,
  class: /QueuesClass/,
} as const;

export interface LabHint {
  readonly topic: keyof typeof QUEUE_OF;
  readonly claim?: string;
}

/** Sends the hints to the queues of the functions, one after the other. */
export async function sendHints({ sqs }: CloudClients, hints: readonly LabHint[]): Promise<void> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  for (const hint of hints) {
    const queue = QUEUE_OF[hint.topic];
    const url = QueueUrls.find((one) => queue.test(one) && !one.includes('DeadLetters'));
    if (url === undefined) throw new Error(`there is no queue like ${queue}`);
    await sqs.send(new SendMessageCommand(messageFor(url, hint)));
  }
}

function messageFor(QueueUrl: string, body: object) {
  const message = { QueueUrl, MessageBody: JSON.stringify(body) };
  if (!QueueUrl.endsWith('.fifo')) return message;
  const group = JSON.stringify(body);
  return {
    ...message,
    MessageGroupId: group.slice(10, 20),
    MessageDeduplicationId: crypto.randomUUID(),
  };
}
