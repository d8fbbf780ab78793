import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { callAws, isNamed } from '../cluster/aws-problems.ts';
import { fail } from '../errors.ts';

interface Environment {
  /** Name or URL of a queue that receives EC2's notices. */
  readonly INTERRUPTION_QUEUE?: string | undefined;
}

/**
 * Finds the queue with EC2's notices: `INTERRUPTION_QUEUE` by name or URL, as Karpenter reads it, else
 * the queue of the stack.
 *
 * @returns its URL; undefined if there is none
 * @throws CliError - `not-found`: no queue of that name; those of `callAws`
 */
export async function findNoticeQueue(
  { INTERRUPTION_QUEUE: queue }: Environment,
  ofStack: string | undefined,
  sqs: SQSClient,
): Promise<string | undefined> {
  if (!queue) return ofStack;
  if (URL.canParse(queue)) return queue;
  const { QueueUrl } = await callAws(`queue ${queue}`, () => sqs.send(new GetQueueUrlCommand({ QueueName: queue })), {
    answer: (error) =>
      isNamed(error, 'QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue')
        ? { QueueUrl: undefined }
        : undefined,
  });
  if (QueueUrl !== undefined) return QueueUrl;
  throw fail({
    code: 'not-found',
    what: `no queue ${queue}`,
    where: 'INTERRUPTION_QUEUE',
    fix: 'a name or URL of an SQS queue in the region of the cluster',
  });
}
