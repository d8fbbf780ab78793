import * as z from 'zod';
import type { ShiftedZone } from '../../model/offerings/zones.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { ZonalShifts } from '../../ports/cloud.ts';
import { ifVersion } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const NAME = 'cluster';
/** At most two writers conflict: the sweep of this minute, and a sweep that an event started. */
const MAX_TRIES = 5;

const zoneSchema = z.object({
  zone: z.string(),
  zoneId: z.string(),
  until: z.number(),
} satisfies FieldsOf<ShiftedZone>);
const rowSchema = z.object({ zones: z.array(zoneSchema), version: z.int() });
type Row = z.output<typeof rowSchema>;

const NO_ROW: Row = { zones: [], version: 0 };

/** All zones are in one row, so that an answer of ARC replaces the previous one as a whole. */
export function dynamoZonalShifts(table: DynamoTable): ZonalShifts {
  const read = async (): Promise<Row> => (await table.get('ZonalShift', NAME, rowSchema)) ?? NO_ROW;

  return {
    list: async (now) => (await read()).zones.filter(({ until }) => until > now),
    async replace(zones) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const stored = await read();
        // Usually nothing has changed, and a read is cheaper than a write.
        if (JSON.stringify(stored.zones) === JSON.stringify(zones)) return stored.zones;
        const row = { zones, version: stored.version + 1 };
        if (await table.put('ZonalShift', NAME, row, ifVersion(stored.version))) {
          return stored.zones;
        }
      }
      throw new Error('zonal shifts change faster than they can be written');
    },
  };
}
