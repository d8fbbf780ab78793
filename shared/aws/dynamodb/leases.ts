import * as z from 'zod';
import { LEASE_MARGIN_MS, type Lease, type LeaseRole, type Leases } from '../../ports/records.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object({ holder: z.string(), fence: z.int(), until: z.number() });

/** Rows never expire: one that went would start its fence anew, and old holders could write again. */
export function dynamoLeases(table: DynamoTable): Leases {
  // Mostly it is one function that takes a role, again and again: it need not look first.
  const fences = new Map<LeaseRole, Lease['fence']>();

  /** Absent: it is not, or no more, the caller's. */
  async function replace(lease: Lease, condition: Condition): Promise<Lease | undefined> {
    const { role, holder, fence, until } = lease;
    const row = { holder, fence, until };
    if (!(await table.put('Lease', role, row, condition))) return undefined;
    fences.set(role, fence);
    return lease;
  }

  return {
    async acquire(role, { holder, now, forMs }) {
      const take = (fence = 0): Promise<Lease | undefined> =>
        replace(
          { role, holder, fence: fence + 1, until: now + forMs },
          fence === 0 ? IF_NEW : ifFree(fence, holder, now),
        );
      const last = fences.get(role);
      const lease = last === undefined ? undefined : await take(last);
      if (lease) return lease;
      const existing = await table.get('Lease', role, rowSchema);
      // As it was: then somebody holds it.
      if (existing && existing.fence === last) return undefined;
      return take(existing?.fence);
    },
    renew: (lease, until) => replace({ ...lease, until }, ifStill(lease)),
    async release(lease) {
      await replace({ ...lease, holder: '', until: 0 }, ifStill(lease));
    },
  };
}

type Condition = Parameters<DynamoTable['put']>[3];

const IF_NEW: Condition = { ConditionExpression: 'attribute_not_exists(sk)' };

/** That the end has come is compared by the table, not by us: the row may be another one by now. */
const ifFree = (fence: Lease['fence'], holder: string, now: number): Condition => ({
  ConditionExpression: 'fence = :fence AND (#until < :past OR holder = :holder)',
  ExpressionAttributeNames: { '#until': 'until' },
  ExpressionAttributeValues: {
    ':fence': fence,
    ':past': now - LEASE_MARGIN_MS,
    ':holder': holder,
  },
});

const ifStill = ({ fence, holder }: Lease): Condition => ({
  ConditionExpression: 'fence = :fence AND holder = :holder',
  ExpressionAttributeValues: { ':fence': fence, ':holder': holder },
});
