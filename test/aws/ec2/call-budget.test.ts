import { CreateTagsCommand, DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { type CallBudget, dynamoCallBudget, limitCallRate } from '../../../shared/aws/ec2/call-budget.ts';
import { NOON } from '../../support/builders.ts';
import { type LocalDynamo, startDynamo } from '../support/local-dynamo.ts';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.stop());

const aTable = async () => dynamoTable(dynamo.client, { table: await dynamo.createTable(), cluster: 'demo' });

describe('the call budget', () => {
  it('allows fifty requests at once from all functions, and delays the next ones in order', async () => {
    const table = await aTable();
    const [one, other] = [dynamoCallBudget(table), dynamoCallBudget(table)];
    const waits: number[] = [];

    for (let nth = 0; nth < 26; nth += 1) {
      waits.push(await one.take(NOON), await other.take(NOON));
    }

    expect(waits.slice(0, 50).every((ms) => ms === 0)).toBe(true);
    expect(waits.slice(50)).toEqual([200, 400]);
  });

  it('is written once for concurrent callers, and delays each in order', async () => {
    const table = await aTable();
    let writes = 0;
    const counting: typeof table = {
      ...table,
      put: (...row) => {
        writes += 1;
        return table.put(...row);
      },
    };
    const budget = dynamoCallBudget(counting);

    const waits = await Promise.all(Array.from({ length: 52 }, () => budget.take(NOON)));

    expect(waits.filter((ms) => ms === 0)).toHaveLength(50);
    expect(waits.slice(50)).toEqual([200, 400]);
    expect(writes).toBeLessThanOrEqual(2);
  });

  it('is read once, and again after another function has changed it', async () => {
    const table = await aTable();
    let reads = 0;
    const budget = dynamoCallBudget({
      ...table,
      get: (...row) => {
        reads += 1;
        return table.get(...row);
      },
    });

    await budget.take(NOON);
    await budget.take(NOON);
    expect(reads).toBe(1);
    await dynamoCallBudget(table).take(NOON);
    await budget.take(NOON);

    expect(reads).toBe(2);
    expect((await table.get('CallBudget', 'changes', z.object({ left: z.number() })))?.left).toBe(46);
  });

  it('continues after a failed write', async () => {
    const table = await aTable();
    let isAway = true;
    const budget = dynamoCallBudget({
      ...table,
      get: (...row) => {
        if (isAway) throw new Error('DynamoDB is away');
        return table.get(...row);
      },
    });

    await expect(budget.take(NOON)).rejects.toThrow('away');
    isAway = false;
    expect(await budget.take(NOON)).toBe(0);
  });

  it('refills by five per second up to its maximum', async () => {
    const budget = dynamoCallBudget(await aTable());
    await budget.empty(NOON);

    expect(await budget.take(NOON)).toBe(200);
    expect(await budget.take(NOON + 1_000)).toBe(0);
    expect(await budget.take(NOON + 60_000)).toBe(0);
  });
});

describe('a client with a call budget', () => {
  /** A client that answers with the given status. */
  function aClient(status = 200) {
    const reported: string[] = [];
    const budget: CallBudget = {
      take: async () => {
        reported.push('take');
        return 0;
      },
      empty: async () => void reported.push('empty'),
    };
    const body = `<Response><Errors><Error><Code>RequestLimitExceeded</Code></Error></Errors></Response>`;
    const response = { statusCode: status, headers: {}, body: Buffer.from(body) };
    const requestHandler = { handle: async () => ({ response }) };
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const options = { region: 'us-east-1', credentials, requestHandler, maxAttempts: 1 };
    const clock = { now: () => NOON };
    return { ec2: limitCallRate(new EC2Client(options), { budget, clock }), told: reported };
  }
  const naming = new CreateTagsCommand({ Resources: ['i-1'], Tags: [] });

  it('takes a token for mutating requests and none for reads', async () => {
    const { ec2, told: reported } = aClient();

    await ec2.send(naming);
    await ec2.send(new DescribeSubnetsCommand({}));

    expect(reported).toEqual(['take']);
  });

  it('empties the shared budget when EC2 throttles a request', async () => {
    const { ec2, told: reported } = aClient(503);

    await expect(ec2.send(naming)).rejects.toThrow();

    expect(reported).toEqual(['take', 'empty']);
  });
});
