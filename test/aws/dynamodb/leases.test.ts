import { afterAll, describe, expect, it } from 'vitest';
import { dynamoLeases } from '../../../shared/aws/dynamodb/leases.ts';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { Lease, Leases } from '../../../shared/ports/records.ts';
import { NOON } from '../../support/builders.ts';
import { startDynamo } from '../support/local-dynamo.ts';

const dynamo = await startDynamo();
afterAll(() => dynamo.stop());

/** Two functions that share a table, and the requests that the first one makes. */
async function twoFunctions() {
  const table = dynamoTable(dynamo.client, {
    table: await dynamo.createTable(),
    cluster: 'demo',
  });
  const calls: string[] = [];
  const one = dynamoLeases({
    ...table,
    get: (...row) => {
      calls.push('get');
      return table.get(...row);
    },
    put: (...row) => {
      calls.push('put');
      return table.put(...row);
    },
  });
  return { one, other: dynamoLeases(table), calls };
}

async function take(leases: Leases, holder: string, now = NOON): Promise<Lease> {
  const lease = await leases.acquire('commit', { holder, now, forMs: 5_000 });
  if (!lease) throw new Error('not given');
  return lease;
}

describe('a lease that the function has held before', () => {
  it('is acquired without a read', async () => {
    const { one, calls } = await twoFunctions();
    await one.release(await take(one, 'p-1'));
    calls.length = 0;

    expect((await take(one, 'p-2')).fence).toBe(2);
    expect(calls).toEqual(['put']);
  });

  it('is read if another function has held it since, and its fence keeps growing', async () => {
    const { one, other } = await twoFunctions();
    await one.release(await take(one, 'p-1'));
    await other.release(await take(other, 'd-1'));

    expect((await take(one, 'p-2')).fence).toBe(3);
  });

  it('is refused while another function holds it, or another invocation of the same function', async () => {
    const { one, other } = await twoFunctions();
    await one.release(await take(one, 'p-1'));
    const held = await take(other, 'd-1');
    await expect(take(one, 'p-2')).rejects.toThrow('not given');
    await other.release(held);
    await take(one, 'p-2');

    await expect(take(one, 'p-3')).rejects.toThrow('not given');
  });
});
