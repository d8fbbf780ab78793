import { afterAll, describe, expect, it } from 'vitest';
import { dynamoCapacityUsage } from '../../../shared/aws/dynamodb/capacity-usage.ts';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { startDynamo } from '../support/local-dynamo.ts';

const dynamo = await startDynamo();
afterAll(() => dynamo.stop());

const aTracker = async () =>
  dynamoCapacityUsage(dynamoTable(dynamo.client, { table: await dynamo.createTable(), cluster: 'demo' }));

const taken = (launch: string, at: number, addresses: number, exhausted: readonly string[] = []) => ({
  launch,
  at,
  counts: { 'subnet-0': addresses },
  exhausted: [...exhausted],
});

describe('recorded capacity usage', () => {
  it('is listed once per launch, with the latest record', async () => {
    const tracker = await aTracker();
    await tracker.put(taken('p-1', NOON, 58));
    await tracker.put(taken('p-2', NOON, 29));
    await tracker.put(taken('p-1', NOON + 900, 29));

    expect(await tracker.list(NOON + 1_000)).toEqual([taken('p-1', NOON + 900, 29), taken('p-2', NOON, 29)]);
  });

  it('expires after five minutes, and its exhausted ids after three', async () => {
    const tracker = await aTracker();
    await tracker.put(taken('p-1', NOON, 29, ['subnet-0']));

    expect(await tracker.list(NOON + 3 * MINUTE_MS - 1)).toMatchObject([{ exhausted: ['subnet-0'] }]);
    expect(await tracker.list(NOON + 3 * MINUTE_MS)).toMatchObject([{ exhausted: [] }]);
    expect(await tracker.list(NOON + 5 * MINUTE_MS)).toEqual([]);
  });
});
