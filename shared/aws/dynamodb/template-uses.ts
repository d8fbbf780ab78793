import * as z from 'zod';
import type { EpochMs } from '../../model/time.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

/** The launch templates that recent launches have used. They exist and must be kept. */
export interface TemplateUses {
  /** Returns until when the template is kept, or undefined if no recent launch has used it. */
  until(name: string, now: EpochMs): Promise<EpochMs | undefined>;
  list(now: EpochMs): Promise<ReadonlySet<string>>;
  /** Extends the use; the later `until` wins. */
  add(name: string, until: EpochMs): Promise<void>;
}

const rowSchema = z.object({ name: z.string(), until: z.number() });

export const dynamoTemplateUses = (table: DynamoTable): TemplateUses => ({
  async until(name, now) {
    const row = await table.get('LaunchTemplate', name, rowSchema);
    return row && row.until > now ? row.until : undefined;
  },
  async list(now) {
    const rows = await table.listUnexpired('LaunchTemplate', rowSchema, now);
    return new Set(rows.map(({ name }) => name));
  },
  add: (name, until) => table.putUntil('LaunchTemplate', name, { name }, until),
});
