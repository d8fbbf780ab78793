import { expect, it } from 'vitest';
import { dynamoNodeClaims } from '../../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoTable } from '../../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { saveRecords } from '../../../../shared/controllers/commit/commit.ts';
import { SECOND_MS } from '../../../../shared/model/time.ts';
import { aFakeWorld } from '../../../controllers/support/fake-ports.ts';
import { NOON } from '../../../support/builders.ts';
import { createLimitedTable } from '../../../support/limits/limited-table.ts';
import { aRunningFleet } from '../../../support/limits/planned-fleet.ts';
import { createTimeline } from '../../../support/limits/timeline.ts';

/** Equal numbers in each run. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Commits 1,000 claims that share launches of 100, over a table that keeps no unused capacity. */
async function storePlan(writeUnits: number) {
  const timeline = createTimeline(NOON);
  const capacity = { burstSeconds: 1, writeUnits };
  const limited = createLimitedTable({ timeline, capacity, latencyMs: 5 });
  const table = dynamoTable(limited.client, { table: 'mortise', cluster: 'demo' }, () => {}, {
    sleep: timeline.sleep,
    random: createRandom(),
  });
  const nodeClaims = dynamoNodeClaims(table, timeline.now);
  const claims = aRunningFleet(1_000, 100).map(({ launch: _, nodeName: __, ...claim }) => claim);
  const { ports } = aFakeWorld();

  const records = await timeline.run(async () => {
    return saveRecords({ ...ports, nodeClaims }, { id: 'p-1', claims });
  });
  const stored = await timeline.run(() => nodeClaims.list());
  return { records, stored, tookMs: timeline.now() - NOON, throttled: limited.usage.throttled };
}

it('stores a plan of 1,000 claims within a second, without being throttled', async () => {
  const { records, stored, tookMs, throttled } = await storePlan(1_000);

  expect([records.length, stored.records.length, throttled]).toEqual([1_000, 1_000, 0]);
  expect(tookMs).toBeLessThan(SECOND_MS);
});

it('loses no claim of a plan if the table throttles its writes', async () => {
  const { records, stored, throttled } = await storePlan(40);

  expect([records.length, stored.records.length]).toEqual([1_000, 1_000]);
  expect(throttled).toBeGreaterThan(50);
});
