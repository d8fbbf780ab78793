import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dynamoNodeClaims } from '../../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoTable } from '../../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { DAY_MS } from '../../../../shared/model/time.ts';
import { nodeClaimsContract } from '../../../contracts/node-claims-contract.ts';
import { aLaunch, aNodeClaim, NOON } from '../../../support/builders.ts';
import { createLimitedTable } from '../../../support/limits/limited-table.ts';
import { inProcessService } from '../../../support/limits/sdk-service.ts';

const timeline = { now: () => NOON, sleep: async () => {} };
const RUNNING = aNodeClaim({ launch: aLaunch(), nodeName: 'node-1' });

/** A table with its time. */
function aTable() {
  let now = NOON;
  const timeline = { now: () => now, sleep: async () => {} };
  const { client, rows } = createLimitedTable({ timeline });
  const table = dynamoTable(client, { table: 'mortise', cluster: 'demo' }, () => {}, timeline);
  return {
    table,
    rows,
    claims: dynamoNodeClaims(table, () => now),
    pass(ms: number) {
      now += ms;
    },
    /** The name of the row with what the claim shares with others. */
    contentOf(claim: string): string {
      const row = rows().find(({ sk }) => sk && 'S' in sk && sk.S === `Claim#${claim}`);
      return row?.template && 'S' in row.template ? row.template.S : '';
    },
  };
}

nodeClaimsContract('DynamoDB with its limits', async () => aTable().claims);

describe('the name of a terminated claim', () => {
  it('is free once DynamoDB has deleted the row that kept it', async () => {
    const table = aTable();
    await table.claims.save({ ...RUNNING, terminatedAt: NOON }, 0);
    await table.table.remove('Claim', 'general-1');

    const ended = await table.claims.find('general-1');
    expect(ended).toMatchObject({ claim: { terminatedAt: NOON }, version: 0 });
    await table.claims.save(RUNNING, ended?.version ?? -1);
    expect((await table.claims.list()).records).toEqual([{ claim: RUNNING, version: 1 }]);
  });
});

describe('a claim whose content cannot be read', () => {
  it('is named beside the list of the others', async () => {
    const table = aTable();
    await table.claims.save(RUNNING, 0);
    await table.claims.save(aNodeClaim({ name: 'general-2', labels: { other: 'content' } }), 0);
    await table.table.remove('ClaimContent', table.contentOf('general-2'));

    const cold = dynamoNodeClaims(table.table, () => NOON);
    const listed = await cold.list();

    expect(listed.records).toEqual([{ claim: RUNNING, version: 1 }]);
    expect(listed.unreadable).toMatchObject([{ name: 'general-2' }]);
    await expect(cold.find('general-2')).rejects.toThrow('Record Claim#general-2 cannot be read');
  });

  it('is kept: contents that are in use are stored again before they expire', async () => {
    const table = aTable();
    await table.claims.save(RUNNING, 0);
    const expiry = () => table.rows().flatMap(({ expiresAt }) => expiresAt ?? []);
    const before = expiry();
    table.pass(200 * DAY_MS);

    const cold = dynamoNodeClaims(table.table, () => NOON + 200 * DAY_MS);
    await cold.list();
    await cold.renew();

    const after = expiry();
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
  });
});

describe('a content that eventually consistent reads do not show yet', () => {
  it('is read again, consistently', async () => {
    const { answer } = createLimitedTable({ timeline });
    const request = z.object({
      RequestItems: z.record(z.string(), z.object({ ConsistentRead: z.boolean() })),
    });
    const reads: boolean[] = [];
    const requestHandler = inProcessService(async (operation, input) => {
      if (operation !== 'BatchGetItem') return answer(operation, input);
      const isConsistent = request.parse(input).RequestItems.mortise?.ConsistentRead === true;
      reads.push(isConsistent);
      return isConsistent ? answer(operation, input) : { Responses: { mortise: [] } };
    });
    const client = new DynamoDBClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      requestHandler,
    });
    const table = dynamoTable(client, { table: 'mortise', cluster: 'demo' }, () => {}, timeline);
    await dynamoNodeClaims(table, timeline.now).save(RUNNING, 0);

    const { records, unreadable } = await dynamoNodeClaims(table, timeline.now).list();

    expect(records).toEqual([{ claim: RUNNING, version: 1 }]);
    expect(unreadable).toEqual([]);
    // One for the templates and one for the launches.
    expect(reads).toEqual([false, false, true, true]);
  });
});
