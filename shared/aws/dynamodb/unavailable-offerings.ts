import * as z from 'zod';
import type { OfferingPart, UnavailableOffering } from '../../model/offerings/instance-type.ts';
import {
  computeForgottenAt,
  MAX_SHORTAGE_MS,
  markShort,
  type Shortage,
  shortageKey,
} from '../../model/offerings/shortages.ts';
import type { EpochMs } from '../../model/time.ts';
import { unavailableOfferingSchema } from '../../model-schema/offering-schema.ts';
import type { UnavailableOfferings } from '../../ports/learned-state.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const KIND = 'UnavailableOffering';
/**
 * The number of concurrent writers that can conflict with this one: higher than the number of
 * clusters that share a table.
 */
const MAX_TRIES = 10;

const shortageSchema = z.object({ times: z.int(), until: z.number() });

/** Stores unavailable offerings in the cluster's table, or in a table that clusters share. */
export function dynamoUnavailableOfferings(table: DynamoTable): UnavailableOfferings {
  async function markOne(part: OfferingPart, now: EpochMs): Promise<UnavailableOffering> {
    const name = shortageKey(part);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const stored = await table.get(KIND, name, shortageSchema);
      const after = markShort(stored, now);
      if (after === stored) return { ...part, until: after.until };
      const row = { ...part, ...after, expiresAt: toExpiry(computeForgottenAt(after)) };
      if (await table.put(KIND, name, row, unlessMarkedSince(stored))) {
        return { ...part, until: after.until };
      }
    }
    throw new Error(`${name} changes faster than it can be marked`);
  }

  return {
    async list(now) {
      const offerings = await table.listUnexpired(KIND, unavailableOfferingSchema, now);
      // A wrong row of another cluster must not block an offering for longer than EC2's reports do.
      const latest = now + MAX_SHORTAGE_MS;
      return offerings.map((offering) => ({
        ...offering,
        until: Math.min(offering.until, latest),
      }));
    },
    mark: (unavailable, now) => Promise.all(unavailable.map((part) => markOne(part, now))),
  };
}

/** The condition that the row has not changed since it was read. */
const unlessMarkedSince = (stored: Shortage | undefined) =>
  stored
    ? {
        ConditionExpression: '#until = :until',
        // `until` is a reserved word of DynamoDB.
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':until': stored.until },
      }
    : { ConditionExpression: 'attribute_not_exists(sk)' };
