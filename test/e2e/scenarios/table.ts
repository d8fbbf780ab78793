import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Lab } from '../lab/start-lab.ts';
import { expect, type Scenario } from '../scenario.ts';

export const tableEmptied: Scenario = {
  name: 'the table is emptied under a running cluster: everything is adopted, nothing ended',
  id: 'table',
  async run(lab, world) {
    await world.pool();
    await world.deployment('web', 3);
    const pods = await world.waitForRunning(3);
    const before = await world.instances();
    const claims = (await world.claims()).map(({ name }) => name).toSorted();

    const rows = await emptyTable(lab);
    // Long enough for two sweeps, each of which could treat the instances as leaked.
    await sleep(130_000);
    const after = await world.instances();
    expect(
      before.every((id) => after.includes(id)),
      'an instance was ended',
    );
    const now = (await world.claims()).map(({ name }) => name).toSorted();
    expect(claims.join() === now.join(), `claims ${claims.join()} became ${now.join()}`);
    const still = (await world.waitForRunning(3)).map(({ name }) => name).toSorted();
    expect(
      still.join() ===
        pods
          .map(({ name }) => name)
          .toSorted()
          .join(),
      'a pod moved',
    );
    return { rows };
  },
};

async function emptyTable({ cloud, deployment }: Lab): Promise<number> {
  const TableName = deployment.output('StateTable');
  let rows = 0;
  const pages = paginateScan(
    { client: cloud.dynamo, pageSize: 25 },
    { TableName, ProjectionExpression: 'pk, sk' },
  );
  for await (const { Items = [] } of pages) {
    rows += Items.length;
    if (Items.length === 0) continue;
    const requests = Items.map((Key) => ({ DeleteRequest: { Key } }));
    await cloud.dynamo.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
  }
  return rows;
}
