import * as z from 'zod';
import { commandSchema } from '../../model-schema/command-schema.ts';
import type { Commands } from '../../ports/records.ts';
import { gzipJson, gzippedJson } from '../gzip-json.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object({ command: gzippedJson(commandSchema) });

/**
 * A command names every pod that it moves and a row holds 400 KB, so the command is stored
 * compressed. Its id, reason and candidates are also plain attributes, for people reading the
 * table.
 */
export function dynamoCommands(table: DynamoTable): Commands {
  return {
    async list() {
      const { records, unreadable } = await table.listReadable('Command', rowSchema);
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
