import * as z from 'zod';
import { DAY_MS } from '../../model/time.ts';
import { poolBackoffFields } from '../../model-schema/pool-backoff-schema.ts';
import type { PoolBackoffs } from '../../ports/learned-state.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object(poolBackoffFields);

type BackoffKind = 'PoolBackoff' | 'LaunchBackoff' | 'PlacementBackoff' | 'DriftBackoff';

/**
 * @param kind - kind of row: each cause has separate backoffs
 */
export function dynamoPoolBackoffs(table: DynamoTable, kind: BackoffKind = 'PoolBackoff'): PoolBackoffs {
  return {
    list: () => table.list(kind, rowSchema),
    async save(backoff) {
      // A pool without attempts for a day starts without backoff.
      const expiresAt = toExpiry(backoff.until + DAY_MS);
      const name = toRowName(backoff.pool, backoff.owner);
      await table.put(kind, name, { ...backoff, expiresAt }, {});
    },
    remove: (pool, owner) => table.remove(kind, toRowName(pool, owner)),
  };
}

const toRowName = (pool: string, owner: string | undefined): string =>
  owner === undefined ? pool : `${pool}#${owner}`;
