import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, BatchWriteItemCommand, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
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

/** Older than a launch may take, so that claims that were being launched count as overdue. */
const SET_BACK_MS = Number(process.env.SET_BACK_MINUTES ?? 8) * 60_000;
/** Replicas while time passes: nodes come and go between the backup and its restoration. */
const LOAD = [4, 2, 5, 3];
/** Each node has room for one of these pods. */
const POD = { cpu: '1200m' };

export const tableSetBack: Scenario = {
  name: 'the table is set back eight minutes under load: nothing ends with its pods, and work goes on',
  id: 'set-back',
  async run(lab, world) {
    await world.pool({ instanceTypes: ['m5.large'], consolidateAfter: '20s' });
    await world.deployment('web', 3, POD);
    await world.waitForRunning(3);
    const backup = await readTable(lab);
    const backedUpAt = Date.now();
    for (const replicas of LOAD) {
      await world.scale('web', replicas);
      await world.waitForRunning(replicas, 180_000);
      await sleep(20_000);
    }
    await sleep(Math.max(0, backedUpAt + SET_BACK_MS - Date.now()));
    // A launch is under way when the rows are set back.
    await world.scale('web', 5);
    await world.waitForRunning(5, 180_000);
    const pods = await world.waitForRunning(5);
    const before = await world.instances();

    await emptyTable(lab);
    await writeTable(lab, backup);
    // Long enough for two sweeps, each of which could treat the instances as leaked.
    await sleep(150_000);
    const after = await world.instances();
    const ended = before.filter((id) => !after.includes(id));
    expect(ended.length === 0, `instances with pods were ended: ${ended.join()}`);
    const still = new Set((await world.waitForRunning(5)).map(({ name }) => name));
    const moved = pods.filter(({ name }) => !still.has(name));
    expect(moved.length === 0, `pods were lost: ${moved.map(({ name }) => name).join()}`);

    // The restored records are good enough to work with.
    await world.scale('web', 6);
    await world.waitForRunning(6, 180_000);
    await world.scale('web', 1);
    await world.waitForNodes(1, 300_000);
    return { rows: backup.length, setBackMs: Date.now() - backedUpAt };
  },
};

type Row = Record<string, AttributeValue>;

async function readTable({ cloud, deployment }: Lab): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const TableName = deployment.output('StateTable');
  for await (const { Items = [] } of paginateScan({ client: cloud.dynamo }, { TableName })) rows.push(...Items);
  return rows;
}

async function writeTable({ cloud, deployment }: Lab, rows: readonly Row[]): Promise<void> {
  const TableName = deployment.output('StateTable');
  for (const Item of rows) await cloud.dynamo.send(new PutItemCommand({ TableName, Item }));
}

async function emptyTable({ cloud, deployment }: Lab): Promise<number> {
  const TableName = deployment.output('StateTable');
  let rows = 0;
  const pages = paginateScan({ client: cloud.dynamo, pageSize: 25 }, { TableName, ProjectionExpression: 'pk, sk' });
  for await (const { Items = [] } of pages) {
    rows += Items.length;
    if (Items.length === 0) continue;
    const requests = Items.map((Key) => ({ DeleteRequest: { Key } }));
    await cloud.dynamo.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
  }
  return rows;
}
