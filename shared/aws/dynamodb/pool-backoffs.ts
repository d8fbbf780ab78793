import * as z from 'zod';
import { DAY_MS } from '../../model/time.ts';
import { poolBackoffFields } from '../../model-schema/pool-backoff-schema.ts';
import type { BackoffCause, PoolBackoffs } from '../../ports/learned-state.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object(poolBackoffFields);

/** The kind of row. */
const KINDS = {
  registration: 'PoolBackoff',
  launch: 'LaunchBackoff',
  placement: 'PlacementBackoff',
  drift: 'DriftBackoff',
} as const satisfies Record<BackoffCause, string>;

export function dynamoPoolBackoffs(table: DynamoTable): PoolBackoffs {
  return {
    list: (cause) => table.list(KINDS[cause], rowSchema),
    async save(cause, backoff) {
      // A pool without attempts for a day starts without backoff.
      const expiresAt = toExpiry(backoff.until + DAY_MS);
      const name = toRowName(backoff.pool, backoff.owner);
      await table.put(KINDS[cause], name, { ...backoff, expiresAt }, {});
    },
    remove: (cause, pool, owner) => table.remove(KINDS[cause], toRowName(pool, owner)),
  };
}

const toRowName = (pool: string, owner: string | undefined): string =>
  owner === undefined ? pool : `${pool}#${owner}`;
