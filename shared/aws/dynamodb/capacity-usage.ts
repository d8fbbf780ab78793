import * as z from 'zod';
import type { CapacityUsage } from '../../ec2/node-class/free-capacity.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { FieldsOf } from '../exact-schema.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

/** By then EC2 has been asked again, and its own count has it. */
const KEPT_FOR_MS = 5 * MINUTE_MS;
/** So long nobody asks again for what EC2 said is used up. */
const EXHAUSTED_FOR_MS = 3 * MINUTE_MS;

/** What launches of all functions have lately taken of subnets and reservations. */
export interface CapacityUsageStore {
  list(now: EpochMs): Promise<readonly CapacityUsage[]>;
  /** What was said before of the same launch is void: it got less than it asked for. */
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
    // They come in the order of time, so that the last word of each launch stays.
    const latest = new Map(rows.map((row) => [row.launch, row]));
    return [...latest.values()].map((row) => withoutOldExhaustion(row, now));
  },
  put: (usage) => table.putShortLived('Taken', usage.launch, { ...usage }, usage.at + KEPT_FOR_MS),
});

const withoutOldExhaustion = (usage: CapacityUsage, now: EpochMs): CapacityUsage =>
  now - usage.at < EXHAUSTED_FOR_MS ? usage : { ...usage, exhausted: [] };
