import * as z from 'zod';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { SweepState, SweepStateStore } from '../../ports/learned-state.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object({
  tableSince: z.number(),
  unexplained: z.record(z.string(), z.number()),
  confirmedUntil: z.number().exactOptional(),
  nodePeaks: z.array(z.object({ hour: z.number(), nodes: z.number() })).exactOptional(),
} satisfies FieldsOf<SweepState>);

/** An operator confirms the sweep by setting `confirmedUntil`, in milliseconds since 1970. */
export function dynamoSweepState(table: DynamoTable): SweepStateStore {
  return {
    read: () => table.get('Sweep', NOTES, rowSchema),
    async write(notes) {
      await table.put('Sweep', NOTES, { ...notes }, {});
    },
  };
}

const NOTES = 'notes';
