import * as z from 'zod';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../../model/time.ts';
import { nodeClaimSchema } from '../../../model-schema/node-claim-schema.ts';
import type { RecordVersion, StoredNodeClaim } from '../../../ports/records.ts';
import { ifVersion, toExpiry } from '../table/conditions.ts';
import type { DynamoTable } from '../table/dynamo-table.ts';
import { type ClaimRows, KEPT_AFTER_TERMINATION_MS } from './claim-rows.ts';

const currentSchema = z.object({ claim: nodeClaimSchema, version: z.int() });
/**
 * The row that stays under the name of a terminated claim; the claim itself is in an EndedNodeClaim
 * row. It has no `claim.name`, so it cannot be mistaken for an incomplete claim.
 */
const endedSchema = z.object({
  claim: z.object({ terminatedAt: z.number(), name: z.never().exactOptional() }),
  version: z.int(),
});
const rowSchema = z.union([currentSchema, endedSchema]);

/**
 * Claims as the previous release stores them: each row has the whole claim, and all rows share a
 * partition.
 */
export function wideRows(table: DynamoTable): ClaimRows {
  async function findEnded(
    name: string,
    version: RecordVersion,
  ): Promise<StoredNodeClaim | undefined> {
    return table.get('EndedNodeClaim', endedName(name, version), currentSchema);
  }

  /** Writes the row before the one that refers to it; a row without a reference is never read. */
  async function saveEnded(claim: NodeClaim, version: RecordVersion, terminatedAt: EpochMs) {
    // DynamoDB expires rows in any order; this row must outlive the one that refers to it.
    const expiresAt = toExpiry(terminatedAt + 2 * KEPT_AFTER_TERMINATION_MS);
    await table.put(
      'EndedNodeClaim',
      endedName(claim.name, version),
      { claim, version, expiresAt },
      {},
    );
    return {
      claim: { terminatedAt },
      expiresAt: toExpiry(terminatedAt + KEPT_AFTER_TERMINATION_MS),
    };
  }

  async function toRow(claim: NodeClaim, version: RecordVersion) {
    const { terminatedAt } = claim;
    const content =
      terminatedAt === undefined ? { claim } : await saveEnded(claim, version, terminatedAt);
    return { ...content, version };
  }

  return {
    async find(name) {
      const row = await table.get('NodeClaim', name, rowSchema);
      return row && (isCurrent(row) ? row : findEnded(name, row.version));
    },
    findVersion: async (name) => (await table.get('NodeClaim', name, rowSchema))?.version,
    list: ({ isEventual = false }) =>
      table.listReadable('NodeClaim', currentSchema, {
        ...NOT_TERMINATED,
        ConsistentRead: !isEventual,
      }),
    async save(claim, readVersion) {
      const row = await toRow(claim, readVersion + 1);
      return table.put('NodeClaim', claim.name, row, ifVersion(readVersion));
    },
    async takeOver(claim, from) {
      const row = await toRow(claim, from.version + 1);
      return table.move({ ...from, name: claim.name }, 'NodeClaim', claim.name, row);
    },
  };
}

const isCurrent = (row: z.output<typeof rowSchema>): row is z.output<typeof currentSchema> =>
  'name' in row.claim;

/** A standalone claim may reuse the name and terminate again, so the version is part of the key. */
const endedName = (name: string, version: RecordVersion): string => `${name}#${version}`;

const NOT_TERMINATED = { FilterExpression: 'attribute_not_exists(claim.terminatedAt)' };
