import { afterAll, expect, it } from 'vitest';
import { readRecordSalt } from '../../../shared/aws/dynamodb/record-salt.ts';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { startDynamo } from '../support/local-dynamo.ts';

const dynamo = await startDynamo();
afterAll(() => dynamo.stop());

it('gives all functions of a cluster the same salt, and other clusters another', async () => {
  const name = await dynamo.createTable();
  const tableOf = (cluster: string) => dynamoTable(dynamo.client, { table: name, cluster });
  const readers = [tableOf('shop'), tableOf('shop'), tableOf('shop')];
  const [first, ...others] = await Promise.all(readers.map(readRecordSalt));

  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(others).toEqual([first, first]);
  expect(await readRecordSalt(tableOf('games'))).not.toBe(first);
});
