import * as z from 'zod';
import { commandSchema } from '../../model-schema/command-schema.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import { launchSchema } from '../../model-schema/node-claim-schema.ts';
import type { Commands, Launches, LaunchRecord } from '../../ports/records.ts';
import { gzipJson, gzippedJson } from '../gzip-json.ts';
import { ifVersion } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const commandRowSchema = z.object({ command: gzippedJson(commandSchema) });

/**
 * A command names every pod that it moves and a row holds 400 KB, so the command is stored
 * compressed. Its id, reason and candidates are also plain attributes, for people reading the
 * table.
 */
export function dynamoCommands(table: DynamoTable): Commands {
  return {
    async list() {
      const { records, unreadable } = await table.listReadable('Command', commandRowSchema);
      return { records: records.map(({ command }) => command), unreadable };
    },
    async add(command) {
      const { id, reason, decidedAt, candidates } = command;
      const row = { reason, decidedAt, candidates, command: gzipJson(command) };
      await table.put('Command', id, row, { ConditionExpression: 'attribute_not_exists(sk)' });
    },
    remove: (id) => table.remove('Command', id),
  };
}

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

const launchRowSchema = z.object({ record: gzippedJson(recordSchema), version: z.int() });

/**
 * Launch records are compressed, because the launches of one record hardly differ.
 *
 * @see shared/controllers/launch/launch-record.ts for the protocol
 */
export function dynamoLaunches(table: DynamoTable): Launches {
  return {
    find: (id) => table.get('Launch', id, launchRowSchema),
    list: () => table.listReadable('Launch', launchRowSchema),
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
