import * as z from 'zod';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import { launchSchema } from '../../model-schema/node-claim-schema.ts';
import type { Launches, LaunchRecord } from '../../ports/records.ts';
import { gzipJson, gzippedJson } from '../gzip-json.ts';
import { ifVersion } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const recordSchema: z.ZodType<LaunchRecord> = z.looseObject({
  id: z.string(),
  attempt: z.int(),
  claims: z.array(z.string()),
  calledAt: z.number(),
  refused: z.boolean().exactOptional(),
  uncertainAnswers: z.int().exactOptional(),
  retryAt: z.number().exactOptional(),
  launches: z.record(z.string(), launchSchema),
  closedAt: z.number().exactOptional(),
  foundShortage: z.boolean().exactOptional(),
} satisfies FieldsOf<LaunchRecord>);

const rowSchema = z.object({ record: gzippedJson(recordSchema), version: z.int() });

/**
 * Launch records are compressed, because the launches of one record hardly differ.
 *
 * @see shared/controllers/launch/launch-record.ts for the protocol
 */
export function dynamoLaunches(table: DynamoTable): Launches {
  return {
    find: (id) => table.get('Launch', id, rowSchema),
    list: () => table.listReadable('Launch', rowSchema),
    async save(record, readVersion) {
      const { claims, attempt, closedAt } = record;
      const row = {
        claims,
        attempt,
        closedAt,
        record: gzipJson(record),
        version: readVersion + 1,
      };
      return table.put('Launch', record.id, row, ifVersion(readVersion));
    },
    remove: (id) => table.remove('Launch', id),
  };
}
