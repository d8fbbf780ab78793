import { describe, expect, it } from 'vitest';
import { chooseLayout } from '../../../../shared/aws/dynamodb/node-claims/layout.ts';
import { dynamoNodeClaims } from '../../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { wideRows } from '../../../../shared/aws/dynamodb/node-claims/wide-rows.ts';
import { dynamoTable } from '../../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { StaleNodeClaimError } from '../../../../shared/model/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/model/time.ts';
import { nodeClaimsContract } from '../../../contracts/node-claims-contract.ts';
import { aLaunch, aNodeClaim, NOON } from '../../../support/builders.ts';
import { createLimitedTable } from '../../../support/limits/limited-table.ts';

const RUNNING = aNodeClaim({ launch: aLaunch(), nodeName: 'node-1' });

/** A table with its time. `previous` writes as the previous release does. */
function aTable() {
  let now = NOON;
  const timeline = { now: () => now, sleep: async () => {} };
  const { client, rows } = createLimitedTable({ timeline });
  const table = dynamoTable(client, { table: 'mortise', cluster: 'demo' }, () => {}, timeline);
  return {
    table,
    rows,
    claims: dynamoNodeClaims(table, () => now),
    previous: wideRows(table),
    async deploy(isNewCluster = false) {
      await chooseLayout(table, { isNewCluster, now });
    },
    /** Functions notice a new layout within a minute. */
    pass(ms: number) {
      now += ms;
    },
    /** The name of the row with what the claim shares with others. */
    contentOf(claim: string): string {
      const row = rows().find(({ sk }) => sk && 'S' in sk && sk.S === `Claim#${claim}`);
      return row?.template && 'S' in row.template ? row.template.S : '';
    },
    /** Sort keys of the rows that hold claims. */
    claimRows: () =>
      rows().flatMap(({ sk }) =>
        sk && 'S' in sk && /^(Node)?Claim#[^~]/.test(sk.S) ? [sk.S] : [],
      ),
  };
}

/** The same after two deployments of a release that knows both layouts. */
async function aMigratingTable() {
  const table = aTable();
  await table.deploy();
  table.pass(HOUR_MS);
  await table.deploy();
  table.pass(MINUTE_MS);
  return table;
}

nodeClaimsContract('DynamoDB with its limits', async () => {
  const table = aTable();
  await table.deploy(true);
  return table.claims;
});
nodeClaimsContract('DynamoDB with its limits, in the layout of the previous release', async () => {
  const table = aTable();
  await table.deploy();
  return table.claims;
});

describe('the layout of claims', () => {
  it('is the new one for a new cluster', async () => {
    const table = aTable();
    await table.deploy(true);
    await table.claims.save(RUNNING, 0);

    expect(table.claimRows()).toEqual(['Claim#general-1']);
  });

  it('stays what the previous release reads, until the deployment after the update', async () => {
    const table = aTable();
    await table.deploy();
    table.pass(2 * MINUTE_MS);
    // CloudFormation repeats the set-up of a deployment that failed.
    await table.deploy();
    table.pass(2 * MINUTE_MS);
    await table.claims.save(RUNNING, 0);

    expect(table.claimRows()).toEqual(['NodeClaim#general-1']);
    expect(await table.previous.find('general-1')).toEqual({ claim: RUNNING, version: 1 });
    expect(await table.previous.list({})).toEqual([{ claim: RUNNING, version: 1 }]);
  });

  it('is the new one from the next deployment on', async () => {
    const table = await aMigratingTable();
    await table.claims.save(RUNNING, 0);

    expect(table.claimRows()).toEqual(['Claim#general-1']);
  });

  it('shows a release that knows only the old one that it cannot read all claims', async () => {
    const table = await aMigratingTable();

    // Such a release then launches and removes nothing.
    await expect(table.previous.find('~layout')).rejects.toThrow('NodeClaim#~layout');
    expect(await table.claims.list()).toEqual([]);
  });
});

describe('a claim that the previous release stored', () => {
  const listed = [{ claim: RUNNING, version: 1 }];

  it('is found and listed', async () => {
    const table = await aMigratingTable();
    await table.previous.save(RUNNING, 0);

    expect(await table.claims.find('general-1')).toEqual(listed[0]);
    expect(await table.claims.list()).toEqual(listed);
  });

  it('moves when it is saved', async () => {
    const table = await aMigratingTable();
    await table.previous.save(RUNNING, 0);

    await table.claims.save({ ...RUNNING, keptByHand: true }, 1);

    expect(table.claimRows()).toEqual(['Claim#general-1']);
    expect(await table.claims.find('general-1')).toMatchObject({ version: 2 });
    expect(await table.claims.findByNode('node-1')).toMatchObject({ version: 2 });
  });

  it('moves when the sweep migrates, and is then found by its instance', async () => {
    const table = await aMigratingTable();
    await table.previous.save(RUNNING, 0);
    expect(await table.claims.findByInstance('i-node-1')).toBeUndefined();

    await table.claims.list();
    expect(await table.claims.migrate()).toBe(1);

    expect(table.claimRows()).toEqual(['Claim#general-1']);
    expect(await table.claims.findByInstance('i-node-1')).toEqual({ claim: RUNNING, version: 2 });
    await table.claims.list();
    expect(await table.claims.migrate()).toBe(0);
  });

  it('is not saved by a writer that read an older version', async () => {
    const table = await aMigratingTable();
    await table.previous.save(RUNNING, 0);
    await table.previous.save({ ...RUNNING, keptByHand: true }, 1);

    await expect(table.claims.save(RUNNING, 1)).rejects.toThrow(StaleNodeClaimError);
    await expect(table.claims.save(RUNNING, 0)).rejects.toThrow(StaleNodeClaimError);
    expect(table.claimRows()).toEqual(['NodeClaim#general-1']);
  });

  it('is found as it ended if it is terminated, and its name is not free', async () => {
    const table = await aMigratingTable();
    const ended = { ...RUNNING, terminatedAt: NOON };
    await table.previous.save(RUNNING, 0);
    await table.previous.save(ended, 1);

    expect(await table.claims.find('general-1')).toEqual({ claim: ended, version: 2 });
    expect(await table.claims.list()).toEqual([]);
    await expect(table.claims.save(RUNNING, 0)).rejects.toThrow(StaleNodeClaimError);
  });

  it('moves back if the operator returns to the layout of the previous release', async () => {
    const table = await aMigratingTable();
    await table.claims.save(RUNNING, 0);
    await table.table.put('Layout', 'cluster', { claims: 'wide', since: NOON }, {});
    table.pass(MINUTE_MS);

    await table.claims.list();
    await table.claims.migrate();

    expect(await table.previous.find('general-1')).toEqual({ claim: RUNNING, version: 2 });
  });
});

describe('the name of a terminated claim', () => {
  it('is free once DynamoDB has deleted the row that kept it', async () => {
    const table = aTable();
    await table.deploy(true);
    await table.claims.save({ ...RUNNING, terminatedAt: NOON }, 0);
    await table.table.remove('Claim', 'general-1');

    const ended = await table.claims.find('general-1');
    expect(ended).toMatchObject({ claim: { terminatedAt: NOON }, version: 0 });
    await table.claims.save(RUNNING, ended?.version ?? -1);
    expect(await table.claims.list()).toEqual([{ claim: RUNNING, version: 1 }]);
  });
});

describe('a claim whose content cannot be read', () => {
  it('is named beside the list of the others', async () => {
    const table = aTable();
    await table.deploy(true);
    await table.claims.save(RUNNING, 0);
    await table.claims.save(aNodeClaim({ name: 'general-2', labels: { other: 'content' } }), 0);
    await table.table.remove('ClaimContent', table.contentOf('general-2'));

    const cold = dynamoNodeClaims(table.table, () => NOON);
    const listed = await cold.list();

    expect([...listed]).toEqual([{ claim: RUNNING, version: 1 }]);
    expect(listed.unreadable).toMatchObject([{ name: 'general-2' }]);
    await expect(cold.find('general-2')).rejects.toThrow('Record Claim#general-2 cannot be read');
  });

  it('is kept: contents that are in use are stored again before they expire', async () => {
    const table = aTable();
    await table.deploy(true);
    await table.claims.save(RUNNING, 0);
    const expiry = () => table.rows().flatMap(({ expiresAt }) => expiresAt ?? []);
    const before = expiry();
    table.pass(200 * DAY_MS);

    const cold = dynamoNodeClaims(table.table, () => NOON + 200 * DAY_MS);
    await cold.list();
    await cold.migrate();

    const after = expiry();
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
  });
});
