import { setImmediate as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { inProcessService } from '../../support/limits/sdk-service.ts';

it('A table sends fewer requests at a time than the client has connections', async () => {
  let [running, max] = [0, 0];
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: inProcessService(async () => {
      running += 1;
      max = Math.max(max, running);
      await pause();
      running -= 1;
      return {};
    }),
  });
  const table = dynamoTable(client, { table: 'state', cluster: 'demo' });

  const schema = z.object({});
  await Promise.all([
    ...Array.from({ length: 200 }, (_, index) => table.get('Claim', `general-${index}`, schema)),
    ...Array.from({ length: 10 }, () => table.list('Claim', schema)),
  ]);

  expect(max).toBeGreaterThan(1);
  expect(max).toBeLessThan(50);
});
