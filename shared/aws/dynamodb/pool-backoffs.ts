import * as z from 'zod';
import { DAY_MS } from '../../model/time.ts';
import type { PoolBackoff, PoolBackoffs } from '../../ports/learned-state.ts';
import type { FieldsOf } from '../exact-schema.ts';
import { type DynamoTable, toExpiry } from './table/dynamo-table.ts';

const rowSchema = z.object({
  pool: z.string(),
  failures: z.int(),
  until: z.number(),
} satisfies FieldsOf<PoolBackoff>);

/**
 * @param kind - kind of row: launch failures and drift have separate backoffs
 */
export function dynamoPoolBackoffs(
  table: DynamoTable,
  kind: 'PoolBackoff' | 'DriftBackoff' = 'PoolBackoff',
): PoolBackoffs {
  return {
    list: () => table.list(kind, rowSchema),
    async save(backoff) {
      // A pool without attempts for a day starts without backoff.
      const expiresAt = toExpiry(backoff.until + DAY_MS);
      await table.put(kind, backoff.pool, { ...backoff, expiresAt }, {});
    },
    remove: (pool) => table.remove(kind, pool),
  };
}
