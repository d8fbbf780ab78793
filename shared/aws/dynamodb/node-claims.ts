import * as z from 'zod';
import { StaleNodeClaimError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { DAY_MS, type EpochMs } from '../../model/time.ts';
import type { NodeClaims, Stored, Version } from '../../ports/records.ts';
import { nodeClaimSchema } from './schema/node-claim-schema.ts';
import { type DynamoTable, ifVersion, toExpiry } from './table/dynamo-table.ts';

/** So long an instance that outlived its claim can still be told from a stranger's. */
const KEPT_AFTER_TERMINATION_MS = 7 * DAY_MS;

const currentSchema = z.object({ claim: nodeClaimSchema, version: z.int() });
/**
 * What is left under the name of a claim that is over; the claim itself is in a row beside. It has no
 * name, so that no claim is taken for one for want of a field.
 */
const endedSchema = z.object({
  claim: z.object({ terminatedAt: z.number(), name: z.never().exactOptional() }),
  version: z.int(),
});
const rowSchema = z.union([currentSchema, endedSchema]);

/**
 * DynamoDB reads, and charges for, whatever a query passes over. A busy cluster has ten claims that
 * are over for each that is not: of those a line is left among the others.
 */
export function dynamoNodeClaims(table: DynamoTable): NodeClaims {
  async function findEnded(name: string, version: Version): Promise<Stored | undefined> {
    return table.get('EndedNodeClaim', endedName(name, version), currentSchema);
  }

  /** Before the row that points to it; one that nothing points to is never read. */
  async function saveEnded(claim: NodeClaim, version: Version, terminatedAt: EpochMs) {
    // DynamoDB takes rows away in an order of its own: this one is to go after the other.
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
    list: () => table.list('NodeClaim', currentSchema, NOT_TERMINATED),
    async save(claim, seen) {
      const version = seen + 1;
      const { terminatedAt } = claim;
      const content =
        terminatedAt === undefined ? { claim } : await saveEnded(claim, version, terminatedAt);
      const row = { ...content, version };
      const saved = await table.put('NodeClaim', claim.name, row, ifVersion(seen));
      if (!saved) throw new StaleNodeClaimError(claim.name);
    },
  };
}

const isCurrent = (row: z.output<typeof rowSchema>): row is z.output<typeof currentSchema> =>
  'name' in row.claim;

/** A name may be taken again by somebody who writes claims by hand, and end again. */
const endedName = (name: string, version: Version): string => `${name}#${version}`;

const NOT_TERMINATED = { FilterExpression: 'attribute_not_exists(claim.terminatedAt)' };
