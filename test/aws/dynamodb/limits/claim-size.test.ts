import { describe, expect, it } from 'vitest';
import { dynamoNodeClaims } from '../../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoTable } from '../../../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { NodeClaim } from '../../../../shared/model/nodes/node-claim.ts';
import { NOON } from '../../../support/builders.ts';
import { rowBytes } from '../../../support/limits/attributes.ts';
import { createLimitedTable, type LimitedTable } from '../../../support/limits/limited-table.ts';
import { aRunningFleet, instanceIdOf } from '../../../support/limits/planned-fleet.ts';

// Nothing passes while requests run, so a partition gives what it has for one second.
const timeline = { now: () => NOON, sleep: async () => {} };
const capacity = { burstSeconds: 1 };

const tableOf = ({ client }: LimitedTable) =>
  dynamoTable(client, { table: 'mortise', cluster: 'demo' }, () => {}, timeline);

/** A table that holds the claims, and another one with the same rows and none of its capacity used. */
async function withClaims(claims: readonly NodeClaim[]): Promise<LimitedTable> {
  const limited = createLimitedTable({ timeline, capacity: { burstSeconds: 300 } });
  const table = tableOf(limited);
  const stored = dynamoNodeClaims(table, timeline.now);
  for (const claim of claims) await stored.save(claim, 0);
  return createLimitedTable({ timeline, capacity, rows: limited.rows() });
}

describe('claims of a pool with all c, m and r types', () => {
  it('take less than 1 KB each', async () => {
    const limited = await withClaims(aRunningFleet(200));

    const rows = limited.rows().filter(({ sk }) => sk && 'S' in sk && sk.S.startsWith('Claim#'));
    const sizes = rows.map(rowBytes).toSorted((a, b) => a - b);
    expect(sizes).toHaveLength(200);
    expect(sizes.at(100)).toBeLessThan(1_024);
    expect(sizes.at(-1)).toBeLessThan(1_200);
  });

  it('are listed at 1,024 nodes for 200 units', async () => {
    const fleet = aRunningFleet(1_024, 50);
    const limited = await withClaims(fleet);
    const claims = dynamoNodeClaims(tableOf(limited), timeline.now);

    expect((await claims.list()).records).toHaveLength(1_024);
    // A cold function reads the contents as well, once.
    const afterCold = limited.usage.readUnits;
    const listed = await claims.list();

    expect(limited.usage.readUnits - afterCold).toBeLessThan(200);
    expect(limited.usage.throttled).toBe(0);
    const names = new Map(listed.records.map(({ claim }) => [claim.name, claim]));
    expect(fleet.every((claim) => names.has(claim.name))).toBe(true);
    expect(names.get(fleet[17]?.name ?? '')).toEqual(fleet[17]);
  });

  it('are found by instance at the cost of two rows', async () => {
    const limited = await withClaims(aRunningFleet(50));
    const claims = dynamoNodeClaims(tableOf(limited), timeline.now);
    await claims.find('of an empty name');
    const before = limited.usage.readUnits;

    const stored = await claims.findByInstance(instanceIdOf(7));

    expect(stored?.claim.launch?.providerId).toContain(instanceIdOf(7));
    // The lookup, the claim, and its two contents, which a process reads once.
    expect(limited.usage.readUnits - before).toBeLessThanOrEqual(4);
  });

  it('keep the object of an unchanged claim from list to list', async () => {
    const limited = await withClaims(aRunningFleet(20));
    const claims = dynamoNodeClaims(tableOf(limited), timeline.now);
    const before = (await claims.list()).records;
    const [first] = before;
    if (first) await claims.save({ ...first.claim, keptByHand: true }, first.version);

    const after = (await claims.list()).records;

    const kept = new Set(before.map(({ claim }) => claim));
    expect(after.filter(({ claim }) => kept.has(claim))).toHaveLength(19);
  });
});
