import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { PollLoop, PollMessage, PollState } from '../../ports/work-queue.ts';
import type { DynamoTable } from '../dynamodb/table/dynamo-table.ts';

const rowSchema: z.ZodType<PollState> = z.object({
  generation: z.int(),
  turn: z.int(),
  at: z.number(),
  until: z.number(),
});

export interface PollLoopDependencies {
  readonly table: DynamoTable;
  readonly sqs: SQSClient;
  readonly clock: Clock;
}

const NAME = 'loop';

/**
 * Stores the loop's state in one row and delays its messages in a standard queue.
 *
 * @param queue - URL
 */
export function awsPollLoop({ table, sqs, clock }: PollLoopDependencies, queue: string): PollLoop {
  const put = (state: PollState, condition: Condition): Promise<boolean> =>
    table.put('Poll', NAME, { ...state }, condition);

  return {
    find: () => table.get('Poll', NAME, rowSchema),
    replace: (next, previous) => put(next, previous ? ifAt(previous) : IF_NEW),
    take: ({ generation, turn, until }, at) =>
      put({ generation, turn: turn + 1, until, at }, ifAt({ generation, turn })),
    async send(message, at) {
      const DelaySeconds = Math.max(Math.round((at - clock.now()) / SECOND_MS), 0);
      const MessageBody = JSON.stringify(message);
      await sqs.send(new SendMessageCommand({ QueueUrl: queue, MessageBody, DelaySeconds }));
    },
  };
}

type Condition = Parameters<DynamoTable['put']>[3];

const IF_NEW: Condition = { ConditionExpression: 'attribute_not_exists(sk)' };

const ifAt = ({ generation, turn }: Pick<PollMessage, 'generation' | 'turn'>): Condition => ({
  ConditionExpression: 'generation = :generation AND turn = :turn',
  ExpressionAttributeValues: { ':generation': generation, ':turn': turn },
});
