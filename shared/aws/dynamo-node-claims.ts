import * as z from 'zod';
import { StaleNodeClaimError } from '../model/errors.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import { DAY_MS } from '../model/time.ts';
import type { NodeClaims } from '../ports/node-claims.ts';
import { type DynamoTable, toExpiry, unchangedSince } from './dynamo-table.ts';
import { nodeClaimSchema } from './node-claim-schema.ts';

/** So long an instance that outlived its claim can still be told from a stranger's. */
const KEPT_AFTER_TERMINATION_MS = 7 * DAY_MS;

const rowSchema = z.object({ claim: nodeClaimSchema, version: z.int() });

export function dynamoNodeClaims(table: DynamoTable): NodeClaims {
  return {
    find: (name) => table.get('NodeClaim', name, rowSchema),
    list: () => table.list('NodeClaim', rowSchema, NOT_TERMINATED),
    async save(claim, seen) {
      const row = { claim, version: seen + 1, ...expiryOf(claim) };
      const saved = await table.put('NodeClaim', claim.name, row, unchangedSince(seen));
      if (!saved) throw new StaleNodeClaimError(claim.name);
    },
  };
}

const NOT_TERMINATED = { FilterExpression: 'attribute_not_exists(claim.terminatedAt)' };

const expiryOf = ({ terminatedAt }: NodeClaim) =>
  terminatedAt === undefined
    ? {}
    : { expiresAt: toExpiry(terminatedAt + KEPT_AFTER_TERMINATION_MS) };
