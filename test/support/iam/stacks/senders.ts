import * as z from 'zod';
import type { Reach, ReachedHint } from '../reach/reach.ts';
import type { TestedRequest } from '../recording/recordings.ts';
import { DOCUMENT_OPERATIONS } from '../recording/sdk-command.ts';
import { type Destination, isInTableOf, isReadable, queueTopic } from './placed-requests.ts';

/** Adapters that a process only uses if this variable is set. */
const SWITCHES: Readonly<Record<string, string>> = {
  'shared/aws/eks/arc-zonal-shifts.ts': 'CLUSTER_ARN',
  'shared/aws/event-bridge/sdk-entry-sender.ts': 'EVENT_KINDS',
  'shared/aws/node-class/node-identities.ts': 'NODE_ROLE_ARN',
  'shared/aws/hooks/cloudwatch-hook-calls.ts': 'INTAKE_FUNCTION',
  'shared/aws/hooks/lambda-hook-intake.ts': 'INTAKE_FUNCTION',
  'shared/aws/hooks/secret-hook-tokens.ts': 'HOOK_TOKEN_SECRET',
  'cli/controller/interruption-queue.ts': 'INTERRUPTION_QUEUE',
  'cli/controller/notice-queue.ts': 'INTERRUPTION_QUEUE',
  'shared/aws/ec2/prices/reserved-instances.ts': 'COMMITTED_CAPACITY',
  // A controller without the stack keeps its records in memory.
  'shared/aws/dynamodb/table/dynamo-table.ts': 'STATE_TABLE',
  'shared/aws/dynamodb/table/query-partitions.ts': 'STATE_TABLE',
  'shared/aws/dynamodb/table/batch-get.ts': 'STATE_TABLE',
  'shared/aws/ec2/prices/s3-price-record-store.ts': 'SNAPSHOT_BUCKET',
  'shared/aws/s3-record-store.ts': 'SNAPSHOT_BUCKET',
  'shared/aws/s3-record-source.ts': 'SNAPSHOT_BUCKET',
  'shared/aws/s3-view-store.ts': 'SNAPSHOT_BUCKET',
};

/** A request that a process can send, or one that no test has sent. */
export interface SentRequests {
  readonly requests: readonly TestedRequest[];
  /** Requests that the code can send, but no test has sent with this process's adapters. */
  readonly untested: readonly string[];
}

/** FIFO queues delay no single message: a hint that waits is sent to the sweep. */
const CARRIERS: Readonly<Record<string, string>> = { plan: 'sweep', disrupt: 'sweep' };

/**
 * Finds the tests' requests that a process can send.
 *
 * @param process - its variables switch adapters on
 */
export function findSent(
  { files, requests, hints }: Reach,
  tested: readonly TestedRequest[],
  process: Destination & { readonly sendsHints: boolean },
): SentRequests {
  const { environment, sendsHints } = process;
  const isOn = (file: string): boolean => {
    const variable = SWITCHES[file];
    if (!sendsHints && file.startsWith('shared/aws/queues/')) return false;
    return variable === undefined || environment[variable] !== undefined;
  };
  // All files of ours that took part must be in the process.
  const own = tested.filter(
    (request) =>
      isInTableOf(request, environment) &&
      isReadable(request, process) &&
      request.files.every((file) => files.has(file) || file === 'shared/aws/signed-request.ts'),
  );
  const sent: TestedRequest[] = [];
  const untested: string[] = [];
  for (const { operation, file } of requests.filter((one) => isOn(one.file))) {
    const name = file.startsWith('shared/aws/dynamodb/') ? (DOCUMENT_OPERATIONS[operation] ?? operation) : operation;
    const matching = own.filter((one) => one.operation === name && one.files.includes(file));
    if (matching.length === 0) untested.push(`${name} by ${file}`);
    sent.push(...matching.filter((request) => !isHint(request)));
  }
  const pairs = sendsHints ? listQueues(hints) : [];
  for (const { queue, topic } of pairs) {
    const matching = own.filter(
      (one) =>
        isHint(one) && readTopics(one).some((message) => message === topic) && queueTopic(readQueue(one)) === queue,
    );
    if (matching.length === 0) untested.push(`a hint ${topic} in the queue ${queue}`);
    sent.push(...matching);
  }
  return { requests: [...new Set(sent)], untested };
}

/** The queues that the hints of a process are sent to. */
function listQueues(hints: readonly ReachedHint[]): readonly { readonly queue: string; readonly topic: string }[] {
  return hints.map(({ topic, mayWait }) => ({
    topic,
    queue: mayWait ? (CARRIERS[topic] ?? topic) : topic,
  }));
}

const messageSchema = z.object({
  QueueUrl: z.string(),
  MessageBody: z.string().optional(),
  Entries: z.array(z.object({ MessageBody: z.string() })).default([]),
});

const isHint = ({ operation, files }: TestedRequest): boolean =>
  operation.startsWith('SendMessage') && !files.includes('shared/aws/queues/poll-loop.ts');

const readQueue = ({ input }: TestedRequest): string => messageSchema.parse(input).QueueUrl;

function readTopics({ input }: TestedRequest): readonly string[] {
  const { MessageBody, Entries } = messageSchema.parse(input);
  return [MessageBody, ...Entries.map((entry) => entry.MessageBody)].flatMap(
    (body) => /"topic":"(\w+)"/.exec(body ?? '')?.[1] ?? [],
  );
}
