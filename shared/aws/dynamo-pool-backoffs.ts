import * as z from 'zod';
import { DAY_MS } from '../model/time.ts';
import type { PoolBackoff, PoolBackoffs } from '../ports/pool-backoffs.ts';
import { type DynamoTable, toExpiry } from './dynamo-table.ts';
import type { FieldsOf } from './node-claim-schema.ts';

const rowSchema = z.object({
  pool: z.string(),
  failures: z.int(),
  until: z.number(),
} satisfies FieldsOf<PoolBackoff>);

export function dynamoPoolBackoffs(table: DynamoTable): PoolBackoffs {
  return {
    list: () => table.list('PoolBackoff', rowSchema),
    async save(backoff) {
      // A pool that nobody tried for a day begins anew.
      const expiresAt = toExpiry(backoff.until + DAY_MS);
      await table.put('PoolBackoff', backoff.pool, { ...backoff, expiresAt }, {});
    },
    remove: (pool) => table.remove('PoolBackoff', pool),
  };
}
