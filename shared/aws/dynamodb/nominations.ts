import { createHash } from 'node:crypto';
import * as z from 'zod';
import { splitIntoBatches } from '../../model/concurrency.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Nominations } from '../../ports/learned-state.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object({ targets: z.array(z.string()), until: z.number() });

/** A row holds 400 KB, and names have at most 253 characters. */
const MAX_TARGETS = 1_000;

/**
 * Writes the nominations of one plan as one row, so a plan of a thousand nodes does not need a
 * thousand writes.
 */
export function dynamoNominations(table: DynamoTable): Nominations {
  return {
    async list(now) {
      const ends = new Map<string, EpochMs>();
      for (const { targets, until } of await table.listShortLived('Nomination', rowSchema, now)) {
        for (const name of targets) ends.set(name, Math.max(until, ends.get(name) ?? until));
      }
      return Object.fromEntries(ends);
    },
    async nominate(names, until) {
      await Promise.all(
        splitIntoBatches(names, MAX_TARGETS).map((targets) =>
          table.putShortLived('Nomination', computeDigest(targets), { targets }, until),
        ),
      );
    },
  };
}

const computeDigest = (names: readonly string[]): string =>
  createHash('sha256').update(names.join()).digest('hex').slice(0, 16);
