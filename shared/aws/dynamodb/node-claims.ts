import * as z from 'zod';
import { StaleNodeClaimError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { DAY_MS, type EpochMs } from '../../model/time.ts';
import { nodeClaimSchema } from '../../model-schema/node-claim-schema.ts';
import type { NodeClaims, RecordVersion, StoredNodeClaim } from '../../ports/records.ts';
import { type DynamoTable, ifVersion, toExpiry } from './table/dynamo-table.ts';

/**
 * How long the sweep can tell an instance that outlived its claim from an instance of another
 * owner.
 */
const KEPT_AFTER_TERMINATION_MS = 7 * DAY_MS;

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
 * DynamoDB reads and charges for every row that a query passes. A busy cluster has ten terminated
 * claims for each live one, so terminated claims leave only a short row among the live ones.
 */
export function dynamoNodeClaims(table: DynamoTable): NodeClaims {
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

  return {
    async find(name) {
      const row = await table.get('NodeClaim', name, rowSchema);
      return row && (isCurrent(row) ? row : findEnded(name, row.version));
    },
    list: () => table.listReadable('NodeClaim', currentSchema, NOT_TERMINATED),
    async save(claim, readVersion) {
      const version = readVersion + 1;
      const { terminatedAt } = claim;
      const content =
        terminatedAt === undefined ? { claim } : await saveEnded(claim, version, terminatedAt);
      const row = { ...content, version };
      const saved = await table.put('NodeClaim', claim.name, row, ifVersion(readVersion));
      if (!saved) throw new StaleNodeClaimError(claim.name);
    },
  };
}

const isCurrent = (row: z.output<typeof rowSchema>): row is z.output<typeof currentSchema> =>
  'name' in row.claim;

/** A standalone claim may reuse the name and terminate again, so the version is part of the key. */
const endedName = (name: string, version: RecordVersion): string => `${name}#${version}`;

const NOT_TERMINATED = { FilterExpression: 'attribute_not_exists(claim.terminatedAt)' };
