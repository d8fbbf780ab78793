import { CreateTagsCommand, DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import {
  type CallBudget,
  dynamoCallBudget,
  limitCallRate,
} from '../../../shared/aws/ec2/call-budget.ts';
import { NOON } from '../../support/builders.ts';
import { type LocalDynamo, startDynamo } from '../support/local-dynamo.ts';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.stop());

const aTable = async () =>
  dynamoTable(dynamo.client, { table: await dynamo.createTable(), cluster: 'demo' });

describe('the budget of requests', () => {
  it('lets fifty go at once, whoever makes them, and the next ones in line', async () => {
    const table = await aTable();
    const [one, other] = [dynamoCallBudget(table), dynamoCallBudget(table)];
    const waits: number[] = [];

    for (let nth = 0; nth < 26; nth += 1) {
      waits.push(await one.take(NOON), await other.take(NOON));
    }

    expect(waits.slice(0, 50).every((ms) => ms === 0)).toBe(true);
    expect(waits.slice(50)).toEqual([200, 400]);
  });

  it('is written once for those who come together, and each has its place in line', async () => {
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

  it('is read once, and again when somebody else has taken of it', async () => {
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
    expect((await table.get('CallBudget', 'changes', z.object({ left: z.number() })))?.left).toBe(
      46,
    );
  });

  it('goes on after a write that failed', async () => {
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

  it('fills up by five a second, to what it was at most', async () => {
    const budget = dynamoCallBudget(await aTable());
    await budget.empty(NOON);

    expect(await budget.take(NOON)).toBe(200);
    expect(await budget.take(NOON + 1_000)).toBe(0);
    expect(await budget.take(NOON + 60_000)).toBe(0);
  });
});

describe('a client with a budget', () => {
  /** Answers as EC2 does, with the status given. */
  function aClient(status = 200) {
    const told: string[] = [];
    const budget: CallBudget = {
      take: async () => {
        told.push('take');
        return 0;
      },
      empty: async () => void told.push('empty'),
    };
    const body = `<Response><Errors><Error><Code>RequestLimitExceeded</Code></Error></Errors></Response>`;
    const response = { statusCode: status, headers: {}, body: Buffer.from(body) };
    const requestHandler = { handle: async () => ({ response }) };
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const options = { region: 'us-east-1', credentials, requestHandler, maxAttempts: 1 };
    const clock = { now: () => NOON };
    return { ec2: limitCallRate(new EC2Client(options), { budget, clock }), told };
  }
  const naming = new CreateTagsCommand({ Resources: ['i-1'], Tags: [] });

  it('takes of it for what changes something, and not for reading', async () => {
    const { ec2, told } = aClient();

    await ec2.send(naming);
    await ec2.send(new DescribeSubnetsCommand({}));

    expect(told).toEqual(['take']);
  });

  it('tells all others when EC2 has had enough', async () => {
    const { ec2, told } = aClient(503);

    await expect(ec2.send(naming)).rejects.toThrow();

    expect(told).toEqual(['take', 'empty']);
  });
});
