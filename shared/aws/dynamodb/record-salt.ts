import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { ifVersion } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const KIND = 'RecordSalt';
const CLUSTER = 'cluster';
const rowSchema = z.object({ salt: z.string() });

/**
 * Returns the secret with which all functions of a cluster hash the names in its records, so that
 * equal names have equal hashes. The row is written once; without it, names get other hashes.
 */
export async function readRecordSalt(table: DynamoTable): Promise<string> {
  const stored = await table.get(KIND, CLUSTER, rowSchema);
  if (stored) return stored.salt;
  const salt = randomBytes(32).toString('hex');
  if (await table.put(KIND, CLUSTER, { salt }, ifVersion(0))) return salt;
  const first = await table.get(KIND, CLUSTER, rowSchema);
  if (first) return first.salt;
  throw new Error('The salt of the records was deleted while it was read');
}
