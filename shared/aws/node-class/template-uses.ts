import * as z from 'zod';
import type { EpochMs } from '../../model/time.ts';
import type { DynamoTable } from '../dynamodb/table/dynamo-table.ts';

/** Which launch templates launches have asked for lately: those exist, and are to stay. */
export interface TemplateUses {
  /** Until when it is to stay. Absent: nobody has asked for it lately. */
  until(name: string, now: EpochMs): Promise<EpochMs | undefined>;
  list(now: EpochMs): Promise<ReadonlySet<string>>;
  /** A later `until` wins. */
  add(name: string, until: EpochMs): Promise<void>;
}

const rowSchema = z.object({ name: z.string(), until: z.number() });

export const dynamoTemplateUses = (table: DynamoTable): TemplateUses => ({
  async until(name, now) {
    const row = await table.get('LaunchTemplate', name, rowSchema);
    return row && row.until > now ? row.until : undefined;
  },
  async list(now) {
    const rows = await table.listLasting('LaunchTemplate', rowSchema, now);
    return new Set(rows.map(({ name }) => name));
  },
  add: (name, until) => table.putLasting('LaunchTemplate', name, { name }, until),
});
