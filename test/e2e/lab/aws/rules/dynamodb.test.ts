import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createLimitedTable } from '../../../../support/limits/limited-table.ts';
import { answerSafely } from '../../../../support/limits/sdk-service.ts';
import { laggingReads, partitionLimits } from './dynamodb.ts';
import { json, startRules } from './fixture.ts';
import type { Pass } from './rule.ts';

const TableName = 'state';
const itemOf = (sk: string, color = 'red') => ({
  pk: { S: 'a' },
  sk: { S: sk },
  color: { S: color },
});
const keyOf = (sk: string) => ({ pk: { S: 'a' }, sk: { S: sk } });
const put = (sk: string, color?: string) => new PutItemCommand({ TableName, Item: itemOf(sk, color) });

/** A table in memory in place of the emulator. */
function aTable(): Pass {
  const timeline = { now: () => 0, sleep: async () => undefined };
  const { answer } = createLimitedTable({ timeline });
  return async ({ action, body }) => {
    const [status, content] = await answerSafely(answer, action, body.toString());
    return {
      status,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(content)),
    };
  };
}

async function query(client: DynamoDBClient, ConsistentRead: boolean): Promise<readonly string[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName,
      ConsistentRead,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': { S: 'a' }, ':sk': { S: 'Node' } },
    }),
  );
  return Items.map(({ sk, color }) => `${sk?.S} ${color?.S}`);
}

describe('eventually consistent queries in the lab', () => {
  it('show rows as they were up to a second ago, and consistent ones as they are', async () => {
    let now = 0;
    const table = aTable();
    const { fn } = await startRules([laggingReads(1, table, () => now)], table);
    const client = new DynamoDBClient(fn);
    await client.send(put('Node-1'));
    await client.send(put('Node-2'));
    now = 1_000;
    await client.send(put('Node-1', 'blue'));
    await client.send(new DeleteItemCommand({ TableName, Key: keyOf('Node-2') }));
    await client.send(put('Node-3'));
    await client.send(put('Pod-1'));

    expect(await query(client, false)).toEqual(['Node-1 red', 'Node-2 red']);
    expect(await query(client, true)).toEqual(['Node-1 blue', 'Node-3 red']);
    now = 2_000;
    expect(await query(client, false)).toEqual(['Node-1 blue', 'Node-3 red']);
  });
});

describe('a partition in the lab', () => {
  const limits = { readUnits: 10, writeUnits: 5, burstSeconds: 1 };
  const consuming: Pass = async () => ({
    status: 200,
    headers: {},
    ...json({ ConsumedCapacity: { TableName, CapacityUnits: 5 } }),
    body: Buffer.from(JSON.stringify({ ConsumedCapacity: { TableName, CapacityUnits: 5 } })),
  });

  it('throttles what exceeds its units, apart for reads and writes, until the next second', async () => {
    let now = 0;
    const { fn } = await startRules([partitionLimits(limits, () => now)], consuming);
    const client = new DynamoDBClient(fn);
    const get = () => client.send(new GetItemCommand({ TableName, Key: keyOf('Node-1') }));
    const THROTTLED = { name: 'ThrottlingException' };

    await client.send(put('Node-1'));
    await expect(client.send(put('Node-1'))).rejects.toMatchObject(THROTTLED);
    await get();
    await get();
    await expect(get()).rejects.toMatchObject(THROTTLED);
    now = 1_000;
    await expect(client.send(put('Node-1'))).resolves.toBeDefined();
    await expect(get()).resolves.toBeDefined();
  });
});
