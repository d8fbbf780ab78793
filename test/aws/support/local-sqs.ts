import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { parseHint } from '../../../shared/aws/queues/hint-schema.ts';
import type { Hint, Topic } from '../../../shared/ports/work-queue.ts';

export type QueueUrls = Readonly<Record<Topic, string>>;

export interface LocalSqs {
  readonly endpoint: string;
  readonly client: SQSClient;
  /** Creates the queues of one more cluster, like the stack. */
  createQueues(): Promise<QueueUrls>;
  /** Receives and deletes every visible message of a queue. */
  drain(url: string): Promise<readonly Hint[]>;
  stop(): Promise<void>;
}

/**
 * Starts SQS on the loopback interface, in this process. It uses `Date`, so a test may change its
 * time.
 */
export async function startSqs(): Promise<LocalSqs> {
  const app = buildApp({ host: '127.0.0.1', logger: false });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials });
  let clusters = 0;

  async function createQueue(topic: Topic): Promise<string> {
    const isOrdered = topic === 'plan' || topic === 'disrupt';
    const { QueueUrl } = await client.send(
      new CreateQueueCommand(
        isOrdered
          ? { QueueName: `c${clusters}-${topic}.fifo`, Attributes: { FifoQueue: 'true' } }
          : { QueueName: `c${clusters}-${topic}` },
      ),
    );
    // The emulator returns its default port.
    return QueueUrl?.replace(/^http:\/\/[^/]+/, endpoint) ?? '';
  }

  async function receive(QueueUrl: string): Promise<readonly Hint[]> {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    for (const { ReceiptHandle } of Messages) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    return Messages.flatMap(({ Body = '' }) => parseHint(Body) ?? []);
  }

  return {
    endpoint,
    client,
    async createQueues() {
      clusters += 1;
      return {
        plan: await createQueue('plan'),
        claim: await createQueue('claim'),
        disrupt: await createQueue('disrupt'),
        sweep: await createQueue('sweep'),
        interruption: await createQueue('interruption'),
        class: await createQueue('class'),
      };
    },
    async drain(url) {
      const all: Hint[] = [];
      for (let some = await receive(url); some.length > 0; some = await receive(url)) {
        all.push(...some);
      }
      return all;
    },
    async stop() {
      client.destroy();
      await app.close();
    },
  };
}
