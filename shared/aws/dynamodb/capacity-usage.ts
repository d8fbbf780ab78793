import * as z from 'zod';
import type { CapacityUsage } from '../../ec2/node-class/free-capacity.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

/** After this time EC2 has been queried again and its own counts include the launch. */
const KEPT_FOR_MS = 5 * MINUTE_MS;
/** How long a subnet or reservation that EC2 reported as used up is not requested again. */
const EXHAUSTED_FOR_MS = 3 * MINUTE_MS;

/** Capacity of subnets and reservations that recent launches of all functions have used. */
export interface CapacityUsageStore {
  list(now: EpochMs): Promise<readonly CapacityUsage[]>;
  /**
   * Replaces what was recorded for the same launch: the estimate may have been higher than the
   * launch.
   */
  put(usage: CapacityUsage): Promise<void>;
}

const rowSchema = z.object({
  launch: z.string(),
  at: z.number(),
  counts: z.record(z.string(), z.number()),
  exhausted: z.array(z.string()),
} satisfies FieldsOf<CapacityUsage>);

export const dynamoCapacityUsage = (table: DynamoTable): CapacityUsageStore => ({
  async list(now) {
    const rows = await table.listShortLived('Taken', rowSchema, now);
    // Rows are in the order of time, so the latest row of each launch wins.
    const latest = new Map(rows.map((row) => [row.launch, row]));
    return [...latest.values()].map((row) => withoutOldExhaustion(row, now));
  },
  put: (usage) => table.putShortLived('Taken', usage.launch, { ...usage }, usage.at + KEPT_FOR_MS),
});

const withoutOldExhaustion = (usage: CapacityUsage, now: EpochMs): CapacityUsage =>
  now - usage.at < EXHAUSTED_FOR_MS ? usage : { ...usage, exhausted: [] };
