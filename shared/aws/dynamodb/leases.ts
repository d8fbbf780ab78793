import * as z from 'zod';
import { LEASE_MARGIN_MS, type Lease, type LeaseRole, type Leases } from '../../ports/records.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object({ holder: z.string(), fence: z.int(), until: z.number() });

/** Rows never expire: a new row would restart the fence, and earlier holders could write again. */
export function dynamoLeases(table: DynamoTable): Leases {
  // The same function usually takes a role again, so `acquire` tries the last fence before it reads
  // the row.
  const fences = new Map<LeaseRole, Lease['fence']>();

  /** Returns undefined if the caller does not hold the lease. */
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
      // The row has not changed, so another holder has the lease.
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

/** DynamoDB compares the end of the lease, because the row may have changed since it was read. */
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
