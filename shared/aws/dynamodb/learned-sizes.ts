import * as z from 'zod';
import { isSameSize, type LearnedSize, minSize, SIZE_KEPT_MS, sizeKey } from '../../model/nodes/learned-sizes.ts';
import { DAY_MS, type EpochMs } from '../../model/time.ts';
import type { LearnedSizes } from '../../ports/learned-state.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const KIND = 'LearnedSize';
const MAX_TRIES = 10;
/** A node that shows nothing new refreshes the row at most once a day. */
const REFRESH_BEFORE_END_MS = SIZE_KEPT_MS - DAY_MS;

const amounts = z.record(z.string(), z.number());
const sizeSchema: z.ZodType<LearnedSize> = z.object({
  instanceType: z.string(),
  imageId: z.string(),
  setup: z.string(),
  capacity: amounts,
  allocatable: amounts,
});
const rowSchema = z.object({ size: sizeSchema, until: z.number(), version: z.int() });
type Row = z.output<typeof rowSchema>;

/** Stores learned sizes in the cluster's table, or in a table that clusters share. */
export function dynamoLearnedSizes(table: DynamoTable): LearnedSizes {
  return {
    async list(now) {
      const rows = await table.listUnexpired(KIND, rowSchema, now);
      return rows.map(({ size }) => size);
    },
    async learn(reported, now) {
      const name = sizeKey(reported);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const stored = await table.get(KIND, name, rowSchema);
        const row = computeRow(stored, reported, now);
        if (row === stored) return;
        const item = { ...row, expiresAt: toExpiry(row.until) };
        if (await table.put(KIND, name, item, unlessLearnedSince(stored))) return;
      }
      throw new Error(`${name} changes faster than it can be learned`);
    },
  };
}

/**
 * @returns `before` itself if there is nothing to write
 */
function computeRow(stored: Row | undefined, reported: LearnedSize, now: EpochMs): Row {
  const version = (stored?.version ?? 0) + 1;
  if (!stored || stored.until <= now) return { size: reported, until: now + SIZE_KEPT_MS, version };
  const size = minSize(stored.size, reported);
  const isFresh = stored.until > now + REFRESH_BEFORE_END_MS;
  if (isFresh && isSameSize(size, stored.size)) return stored;
  return { size, until: now + SIZE_KEPT_MS, version };
}

const unlessLearnedSince = (stored: Row | undefined) =>
  stored
    ? {
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':seen': stored.version },
      }
    : { ConditionExpression: 'attribute_not_exists(sk)' };
