import * as z from 'zod';
import { addResult, type RegistrationHealth, type RegistrationResult } from '../../model/nodes/registration-health.ts';
import { DAY_MS } from '../../model/time.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { RegistrationHealths } from '../../ports/learned-state.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const KIND = 'RegistrationHealth';
const MAX_TRIES = 10;
/** The rows of deleted NodePools go some time. */
const KEPT_MS = 90 * DAY_MS;

const resultSchema: z.ZodType<RegistrationResult> = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('registered') }),
  z.object({ outcome: z.literal('failed'), reason: z.string(), message: z.string() }),
]);
const healthSchema = z.object({
  pool: z.string(),
  poolUid: z.string(),
  generation: z.int(),
  nodeClassGeneration: z.int(),
  results: z.array(resultSchema),
} satisfies FieldsOf<RegistrationHealth>);
const rowSchema = z.object({ health: healthSchema, version: z.int() });

export function dynamoRegistrationHealths(table: DynamoTable): RegistrationHealths {
  return {
    async list() {
      const rows = await table.list(KIND, rowSchema);
      return rows.map(({ health }) => health);
    },
    async record(pool, result, now) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const stored = await table.get(KIND, pool.name, rowSchema);
        const health = addResult(stored?.health, pool, result);
        if (health === stored?.health) return;
        const version = (stored?.version ?? 0) + 1;
        const row = { health, version, expiresAt: toExpiry(now + KEPT_MS) };
        if (await table.put(KIND, pool.name, row, unlessChangedSince(stored?.version))) return;
      }
      throw new Error(`The registration health of NodePool ${pool.name} changes too fast`);
    },
  };
}

const unlessChangedSince = (version: number | undefined) =>
  version === undefined
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : {
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':seen': version },
      };
