import * as z from 'zod';
import type { ShiftedZone } from '../../model/offerings/zones.ts';
import type { ZonalShifts } from '../../ports/cloud.ts';
import type { FieldsOf } from '../exact-schema.ts';
import { type DynamoTable, ifVersion } from './table/dynamo-table.ts';

const NAME = 'cluster';
/** Two ask at once at most: the sweep's own minute, and an event that woke another. */
const MAX_TRIES = 5;

const zoneSchema = z.object({
  zone: z.string(),
  zoneId: z.string(),
  until: z.number(),
} satisfies FieldsOf<ShiftedZone>);
const rowSchema = z.object({ zones: z.array(zoneSchema), version: z.int() });
type Row = z.output<typeof rowSchema>;

const NO_ROW: Row = { zones: [], version: 0 };

/** All in one row, so that an answer replaces the one before as a whole. */
export function dynamoZonalShifts(table: DynamoTable): ZonalShifts {
  const read = async (): Promise<Row> => (await table.get('ZonalShift', NAME, rowSchema)) ?? NO_ROW;

  return {
    list: async (now) => (await read()).zones.filter(({ until }) => until > now),
    async replace(zones) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const before = await read();
        // Nearly every minute nothing has changed, and a read is cheaper than a write.
        if (JSON.stringify(before.zones) === JSON.stringify(zones)) return before.zones;
        const row = { zones, version: before.version + 1 };
        if (await table.put('ZonalShift', NAME, row, ifVersion(before.version))) {
          return before.zones;
        }
      }
      throw new Error('zonal shifts change faster than they can be written');
    },
  };
}
