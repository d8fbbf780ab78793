import * as z from 'zod';
import type { Nominations } from '../ports/nominations.ts';
import type { DynamoTable } from './dynamo-table.ts';

const rowSchema = z.object({ target: z.string(), until: z.number() });

export function dynamoNominations(table: DynamoTable): Nominations {
  return {
    async list(now) {
      const rows = await table.listLasting('Nomination', rowSchema, now);
      return Object.fromEntries(rows.map(({ target, until }) => [target, until]));
    },
    async nominate(names, until) {
      await Promise.all(
        names.map((target) => table.putLasting('Nomination', target, { target }, until)),
      );
    },
  };
}
