import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dynamoCommits } from '../../../shared/aws/dynamodb/commits.ts';
import { dynamoNominations } from '../../../shared/aws/dynamodb/learned-state.ts';
import { dynamoNodeClaims } from '../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoPlanningState } from '../../../shared/aws/dynamodb/planning-state.ts';
import { dynamoTable, sharedTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { toPartition } from '../../../shared/aws/dynamodb/table/partitions.ts';
import type { RowKind } from '../../../shared/aws/dynamodb/table/row-kinds.ts';
import { SHARED_PARTITION_KEY } from '../../../shared/aws/dynamodb/table/shared-partition-key.ts';
import { dynamoUnavailableOfferings } from '../../../shared/aws/dynamodb/unavailable-offerings.ts';
import { dynamoCommands, dynamoLaunches } from '../../../shared/aws/dynamodb/work-records.ts';
import { NO_SUSPECTS } from '../../../shared/controllers/planning-attempts/bisect.ts';
import { UnreadableRowError } from '../../../shared/model/errors.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNodeClaim, NOON } from '../../support/builders.ts';
import { startDynamo } from '../support/local-dynamo.ts';

const dynamo = await startDynamo();
afterAll(() => dynamo.stop());
const documents = DynamoDBDocumentClient.from(dynamo.client);

async function aTable() {
  const name = await dynamo.createTable();
  const unreadable: string[] = [];
  const rowOf = (sk: string) => ({ TableName: name, Key: { pk: partitionOf(sk), sk } });
  return {
    name,
    table: dynamoTable(dynamo.client, { table: name, cluster: 'demo' }, (row) => {
      unreadable.push(row);
    }),
    unreadable,
    async read(sk: string) {
      return (await documents.send(new GetCommand(rowOf(sk)))).Item;
    },
    async rows() {
      return (await documents.send(new ScanCommand({ TableName: name }))).Items;
    },
    /**
     * @param path - attribute names, because some are reserved words of expressions
     */
    async change(sk: string, path: readonly string[], value: unknown) {
      const names = path.map((part, index) => [`#${index}`, part] as const);
      await documents.send(
        new UpdateCommand({
          ...rowOf(sk),
          UpdateExpression: `SET ${names.map(([name]) => name).join('.')} = :value`,
          ExpressionAttributeNames: Object.fromEntries(names),
          ExpressionAttributeValues: { ':value': value },
        }),
      );
    },
  };
}

function partitionOf(sk: string): string {
  const [kind = '', ...name] = sk.split('#');
  return toPartition('Cluster#demo', kind as RowKind, name.join('#'));
}

describe('a terminated claim', () => {
  it('leaves only a small row among the listed claims', async () => {
    const { table, read } = await aTable();
    const claims = dynamoNodeClaims(table);
    const instanceTypes = Array.from({ length: 100 }, (_, index) => `m7i.${index}xlarge`);
    const claim = aNodeClaim({ instanceTypes, launch: aLaunch() });
    await claims.save(claim, 0);
    await claims.save({ ...claim, terminatedAt: NOON }, 1);

    expect(JSON.stringify(await read('Claim#general-1')).length).toBeLessThan(150);
    expect(await claims.find('general-1')).toMatchObject({ claim: { instanceTypes } });
  });
});

describe('the table', () => {
  it('separates clusters', async () => {
    const { name, table } = await aTable();
    const other = dynamoTable(dynamo.client, { table: name, cluster: 'demo-2' });
    await dynamoNodeClaims(table).save(aNodeClaim(), 0);

    await dynamoNodeClaims(other).save(aNodeClaim({ decision: 'of another cluster' }), 0);

    expect((await dynamoNodeClaims(table).list()).records).toEqual([{ claim: aNodeClaim(), version: 1 }]);
  });

  it('is shared by clusters that name it, beside the rows of one of them', async () => {
    const { name, table } = await aTable();
    const shared = () => dynamoUnavailableOfferings(sharedTable(dynamo.client, name));
    const [mark] = await shared().mark([{ capacityType: 'spot' }], NOON);

    expect(await shared().list(NOON)).toEqual([mark]);
    expect(await dynamoUnavailableOfferings(table).list(NOON)).toEqual([]);
  });

  it.each([
    ['of another format', { format: 2 }],
    ['with another content', { format: 1, until: 'tomorrow' }],
  ])('overwrites a row of another cluster that it cannot read, and never deletes it: %s', async (_, row) => {
    const name = await dynamo.createTable();
    const sk = 'UnavailableOffering#*#*#spot';
    const Key = { pk: SHARED_PARTITION_KEY, sk };
    await documents.send(new PutCommand({ TableName: name, Item: { ...Key, ...row } }));
    const deleted: string[] = [];
    dynamo.client.middlewareStack.add(
      (next, { commandName }) =>
        (request) => {
          if (commandName === 'DeleteItemCommand') deleted.push(sk);
          return next(request);
        },
      { name: 'deletions' },
    );
    const shared = dynamoUnavailableOfferings(sharedTable(dynamo.client, name));

    expect(await shared.list(NOON)).toEqual([]);
    const [mark] = await shared.mark([{ capacityType: 'spot' }], NOON);
    dynamo.client.middlewareStack.remove('deletions');

    expect(await shared.list(NOON)).toEqual([mark]);
    expect(deleted).toEqual([]);
  });

  it('keeps every field that a claim can have', async () => {
    const claims = dynamoNodeClaims((await aTable()).table);
    const taint = { key: 'team', value: '', effect: 'NoExecute' } as const;
    const claim: Required<NodeClaim> = {
      ...aNodeClaim(),
      labels: { 'example.com/a.b-c': '' },
      annotations: { 'karpenter.sh/nodepool-hash': '1' },
      taints: [taint, { key: 'plain', effect: 'NoSchedule' }],
      startupTaints: [taint],
      requirements: [
        { key: 'a', operator: 'In', values: ['1'], minValues: 1 },
        { key: 'b', operator: 'Exists' },
      ],
      poolUid: 'pool-1',
      poolHashVersion: 's1',
      drift: { reason: 'AMIDrift', text: 'image is ami-1', since: 17 },
      launchId: 'p-1-0',
      launch: aLaunch({
        imageId: 'ami-1',
        setup: 'a1b2',
        subnetId: 'subnet-1',
        securityGroupIds: ['sg-1'],
        nodeClassHash: 'abc',
        nodeClassHashVersion: 's1',
      }),
      waitsFor: {
        condition: 'Registered',
        status: 'False',
        reason: 'MultipleNodesFound',
        message: 'a, b',
        since: 15,
      },
      instanceAbsentSince: 22,
      nodeMissingSince: 18,
      consolidatableSince: 19,
      shortfall: { text: 'expected 8Gi of memory, found 4Gi (50.0 %)', since: 16 },
      keptByHand: true,
      repairVetoed: true,
      reboots: [
        {
          cause: 'Ready',
          requestedAt: 1,
          drainMs: 2,
          fromBoot: { id: 'b', at: 3 },
          issuedAt: 4,
          bootedAt: 5,
          endedAt: 6,
        },
      ],
      nodeName: 'node-1',
      isTagged: true,
      removal: 'Interrupted',
      requestedBy: 'Node',
      interruption: 'system_status',
      impairments: ['system_status', 'event_status'],
      expireAfterMs: 1,
      expiresVoluntarily: true,
      rebalanceRecommendedAt: NOON,
      terminationGracePeriodMs: 2,
      minDrainMs: 23,
      lastPodEventAt: 3,
      podsWaitedSince: 4,
      podRunningAt: 9,
      expects: { 'rs-web': 3 },
      heldUpBy: { 'default/web': 5 },
      restarts: { 'default/web-1': 6 },
      refusedRestarts: { 'default/web-1': 'it is paused' },
      blockedDrain: {
        pods: 1,
        since: 5,
        text: 'a pod stays',
        blockers: [{ pod: 'default/web-1', why: 'it stays', remedy: 'remove it' }],
        reportedAt: 6,
      },
      drainDeadline: 6,
      registeredAt: 7,
      initializedAt: 8,
      deletingAt: 9,
      drainingAt: 10,
      drainedAt: 11,
      volumesDetachedAt: 14,
      terminatingAt: 12,
      terminatedAt: 13,
    };

    await claims.save(claim, 0);

    expect(await claims.find('general-1')).toEqual({ claim, version: 1 });
  });

  it('lists more rows than fit one page of DynamoDB', async () => {
    const claims = dynamoNodeClaims((await aTable()).table);
    // The rows of a partition exceed 1 MB; annotations would be stored once for all claims.
    const drift = { reason: 'AMIDrift', text: 'x'.repeat(300_000), since: NOON } as const;
    const names = Array.from({ length: 40 }, (_, index) => `general-${index + 100}`);
    await Promise.all(names.map((name) => claims.save(aNodeClaim({ name, drift }), 0)));

    expect((await claims.list()).records.map(({ claim }) => claim.name).toSorted()).toEqual(names);
  });

  it('stores a command whose pods alone exceed the size of a row', async () => {
    const commands = dynamoCommands((await aTable()).table);
    const pods = Array.from({ length: 12_000 }, (_, n) => `default/a-workload-with-a-name-${n}`);
    const command: DisruptionCommand = {
      id: 'd-1',
      reason: 'Underutilized',
      decidedAt: NOON,
      candidates: ['general-1'],
      replacements: [],
      placements: [{ target: 'node-2', pods }],
      savingHourlyUsd: 0.25,
    };

    await commands.add(command);

    expect((await commands.list()).records).toEqual([command]);
  });

  it('refuses to read a row of an unknown format, and names it beside the list', async () => {
    const { table, change } = await aTable();
    const claims = dynamoNodeClaims(table);
    await claims.save(aNodeClaim(), 0);
    await claims.save(aNodeClaim({ name: 'general-2' }), 0);

    await change('Claim#general-2', ['format'], 2);

    await expect(claims.find('general-2')).rejects.toThrow(UnreadableRowError);
    const list = await claims.list();
    expect(list.records.map(({ claim }) => claim.name)).toEqual(['general-1']);
    expect(list.unreadable).toMatchObject([{ name: 'general-2' }]);
  });

  it('reports such a row by its key', async () => {
    const { table, change, unreadable } = await aTable();
    const claims = dynamoNodeClaims(table);
    await claims.save(aNodeClaim(), 0);
    await change('Claim#general-1', ['format'], 2);
    await claims.list();

    expect(unreadable).toEqual(['Claim#general-1']);
  });

  it('names commands and launches that cannot be read, and refuses a damaged commit', async () => {
    const { table, change, unreadable } = await aTable();
    const noGzip = new Uint8Array([1, 2, 3]);
    await table.put('Command', 'd-1', { command: noGzip }, {});
    await table.put('Launch', 'l-1', { record: noGzip, version: 1 }, {});
    await table.put('Commit', 'latest', { epoch: 3, fence: 1, content: noGzip }, {});
    await change('Launch#l-1', ['version'], 2);

    expect((await dynamoCommands(table).list()).unreadable).toMatchObject([{ name: 'd-1' }]);
    expect((await dynamoLaunches(table).list()).unreadable).toMatchObject([{ name: 'l-1' }]);
    await expect(dynamoCommits(table).latest()).rejects.toThrow(UnreadableRowError);
    expect(unreadable).toEqual(['Command#d-1', 'Launch#l-1', 'Commit#latest']);
  });

  it('frees the name of a claim an hour after its termination, and of no other claim', async () => {
    const { table, read } = await aTable();
    const claims = dynamoNodeClaims(table);
    await claims.save(aNodeClaim(), 0);
    expect((await read('Claim#general-1'))?.expiresAt).toBeUndefined();

    await claims.save(aNodeClaim({ terminatedAt: NOON }), 1);

    expect((await read('Claim#general-1'))?.expiresAt).toBe((NOON + HOUR_MS) / 1000);
    expect((await read('EndedClaim#general-1'))?.expiresAt).toBe((NOON + 14 * DAY_MS) / 1000);
  });

  it('expires a nomination a day after its end, in whole seconds', async () => {
    const { table, rows } = await aTable();

    await dynamoNominations(table).nominate(['node-1'], NOON + 1);

    expect(await rows()).toMatchObject([
      { targets: ['node-1'], until: NOON + 1, expiresAt: (NOON + DAY_MS) / 1000 + 1 },
    ]);
  });
});

it('A pause of the planner ends if its row is deleted, as docs/operations.md says', async () => {
  const { name: TableName, table } = await aTable();
  const states = dynamoPlanningState(table);
  const paused = { ...NO_SUSPECTS, pause: { failures: 1, until: NOON } };
  await states.save('disruption', paused, 0);

  const Key = { pk: 'Cluster#demo', sk: 'Planning#disruption' };
  await documents.send(new DeleteCommand({ TableName, Key }));

  expect(await states.find('disruption')).toBeUndefined();
  expect(await states.save('disruption', NO_SUSPECTS, 0)).toBe(true);
});

describe('a row that only saves time or money and cannot be read', () => {
  const OTHER = { instanceType: 'm7i.large', zone: 'us-east-1a' } as const;
  const SPOILED = { instanceType: 'c7i.large', zone: 'us-east-1a' } as const;
  const ROW = 'UnavailableOffering#c7i.large#us-east-1a#*';

  it('is left out of its list and reported', async () => {
    const { table, change, unreadable } = await aTable();
    const offerings = dynamoUnavailableOfferings(table);
    await offerings.mark([OTHER, SPOILED], NOON);
    await change(ROW, ['zone'], 17);

    expect(await offerings.list(NOON)).toMatchObject([OTHER]);
    expect(unreadable).toEqual([ROW]);
  });

  it('is replaced by the next row of its name', async () => {
    const { table, change } = await aTable();
    const offerings = dynamoUnavailableOfferings(table);
    await offerings.mark([SPOILED], NOON);
    await change(ROW, ['format'], 2);
    await offerings.mark([SPOILED], NOON);

    expect(await offerings.list(NOON)).toMatchObject([SPOILED]);
  });
});

describe('short-lived rows', () => {
  it('are one row for all nominations of a plan, whatever its size', async () => {
    const { table, rows } = await aTable();
    const names = Array.from({ length: 1_001 }, (_, index) => `node-${index}`);

    await dynamoNominations(table).nominate(names, NOON + 1);

    expect(await rows()).toHaveLength(2);
    expect(Object.keys(await dynamoNominations(table).list(NOON))).toHaveLength(1_001);
  });

  it('are not read after their end, although DynamoDB may keep them for days', async () => {
    const { table } = await aTable();
    const whole = z.object({ whole: z.literal('yes') });
    await table.putShortLived('Nomination', 'p-1', { whole: 'no' }, NOON);
    await table.putShortLived('Nomination', 'p-2', { whole: 'yes' }, NOON + 1);

    expect(await table.listShortLived('Nomination', whole, NOON)).toEqual([{ whole: 'yes' }]);
    await expect(table.listShortLived('Nomination', whole, NOON - 1)).rejects.toThrow(UnreadableRowError);
  });
});
