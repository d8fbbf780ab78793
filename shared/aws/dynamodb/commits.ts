import * as z from 'zod';
import { DAY_MS } from '../../model/time.ts';
import { commandSchema } from '../../model-schema/command-schema.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import { nodeClaimSchema } from '../../model-schema/node-claim-schema.ts';
import type { Commit, Commits, Epoch, Lease } from '../../ports/records.ts';
import { gunzipJson, gzipJson } from '../gzip-json.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

/** DynamoDB limits a row to 400 KB, including names and numbers. */
const MAX_BYTES = 380_000;

const commitSchema: z.ZodType<Commit> = z.object({
  id: z.string(),
  claims: z.array(nodeClaimSchema),
  command: commandSchema.exactOptional(),
} satisfies FieldsOf<Commit>);

const bytesSchema = z.instanceof(Uint8Array);
const partSchema = z.object({ content: bytesSchema });
const latestSchema = z.object({
  epoch: z.int(),
  fence: z.int(),
  /** The part of an open commit that fits into this row. */
  content: bytesSchema.exactOptional(),
  /** The number of CommitPart rows that hold the part of the commit before `content`. */
  parts: z.int().exactOptional(),
});

/**
 * Writes a commit of any size atomically: the parts that do not fit into the `Commit#latest` row
 * are written first, and nothing refers to them until that row is written.
 *
 * @see shared/ports for the commit protocol
 */
export function dynamoCommits(table: DynamoTable): Commits {
  const findLatest = () => table.get('Commit', LATEST, latestSchema);

  async function readParts(epoch: Epoch, fence: number, count: number): Promise<Uint8Array[]> {
    const names = toPartNames(epoch, fence, count);
    const rows = await Promise.all(names.map((name) => table.get('CommitPart', name, partSchema)));
    return rows.map((row) => row?.content ?? new Uint8Array());
  }

  async function readContent(pieces: readonly Uint8Array[]): Promise<Commit> {
    try {
      return commitSchema.parse(await gunzipJson(concatBytes(pieces)));
    } catch (cause) {
      throw table.refuse('Commit', LATEST, cause);
    }
  }

  async function writeParts(parts: readonly Uint8Array[], epoch: Epoch, lease: Lease) {
    const names = toPartNames(epoch, lease.fence, parts.length);
    const expiresAt = toExpiry(lease.until + DAY_MS);
    const rows = parts.map((content, index) => [names[index] ?? '', { content, expiresAt }] as const);
    await Promise.all(rows.map(([name, row]) => table.put('CommitPart', name, row, {})));
  }

  return {
    async latest() {
      const latest = await findLatest();
      if (!latest) return { epoch: 0 };
      const { epoch, fence, content, parts = 0 } = latest;
      if (!content) return { epoch };
      const before = await readParts(epoch, fence, parts);
      return { epoch, open: await readContent([...before, content]) };
    },
    async add(commit, previousEpoch, lease) {
      const pieces = splitBytes(gzipJson(commit));
      const content = pieces.pop();
      const epoch = previousEpoch + 1;
      if (pieces.length > 0) await writeParts(pieces, epoch, lease);
      const row = { epoch, fence: lease.fence, content, parts: pieces.length, id: commit.id };
      return table.put('Commit', LATEST, row, ifNext(previousEpoch, lease));
    },
    async close(epoch) {
      const latest = await findLatest();
      if (latest?.epoch !== epoch) return;
      await table.put('Commit', LATEST, { epoch, fence: latest.fence }, ifStill(epoch));
    },
  };
}

const LATEST = 'latest';

/** Two planners that try the same epoch write different parts, because their leases differ. */
const toPartNames = (epoch: Epoch, fence: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${epoch}-${fence}#${index}`);

function splitBytes(bytes: Uint8Array): Uint8Array[] {
  const count = Math.max(Math.ceil(bytes.length / MAX_BYTES), 1);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * MAX_BYTES, (index + 1) * MAX_BYTES));
}

const concatBytes = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces));

const ifNext = (previousEpoch: Epoch, { fence }: Lease) =>
  previousEpoch === 0
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : {
        ConditionExpression: 'epoch = :seen AND fence <= :fence',
        ExpressionAttributeValues: { ':seen': previousEpoch, ':fence': fence },
      };

const ifStill = (epoch: Epoch) => ({
  ConditionExpression: 'epoch = :epoch',
  ExpressionAttributeValues: { ':epoch': epoch },
});
