import * as z from 'zod';
import { DAY_MS } from '../../model/time.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { WakeUp, WakeUps } from '../../ports/work-queue.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

/**
 * SQS may deliver a message again after it was due. A new generation 1 must not match such a
 * message, so the row outlives it.
 */
const KEPT_AFTER_MS = 7 * DAY_MS;

const rowSchema = z.object({
  generation: z.int(),
  at: z.number(),
} satisfies FieldsOf<WakeUp>);

export function dynamoWakeUps(table: DynamoTable): WakeUps {
  return {
    find: (claim) => table.get('WakeUp', claim, rowSchema),
    async save(claim, wakeUp) {
      const row = { ...wakeUp, expiresAt: toExpiry(wakeUp.at + KEPT_AFTER_MS) };
      return table.put('WakeUp', claim, row, ifNext(wakeUp));
    },
  };
}

const ifNext = ({ generation }: WakeUp) =>
  generation === 1
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : {
        ConditionExpression: 'generation = :before',
        ExpressionAttributeValues: { ':before': generation - 1 },
      };
