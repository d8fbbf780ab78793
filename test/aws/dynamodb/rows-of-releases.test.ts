import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { dynamoNodeClaims } from '../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { type DynamoTable, dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { RowKind } from '../../../shared/aws/dynamodb/table/row-kinds.ts';
import { NOON } from '../../support/builders.ts';
import { startDynamo } from '../support/local-dynamo.ts';
import { newerTable } from '../support/newer-table.ts';
import { CLAIM, COMMAND, ROWS } from '../support/written-rows.ts';

const dynamo = await startDynamo();
afterAll(() => dynamo.stop());

const aTable = async (): Promise<DynamoTable> =>
  dynamoTable(dynamo.client, { table: await dynamo.createTable(), cluster: 'demo' });

const zipped = (content: object): Uint8Array => gzipSync(JSON.stringify(content));

describe('the description of rows', () => {
  const description = readFileSync('shared/aws/dynamodb/table/row-kinds.ts', 'utf8');

  it.each(Object.keys(ROWS))('contains every kind: %s', (kind) => {
    expect(description).toMatch(new RegExp(`^ \\* \\| (?:\\w+, )?${kind}\\b`, 'm'));
  });
});

describe('rows of a release with more fields', () => {
  it.each(Object.entries(ROWS))(
    'are read like rows of this release: %s',
    async (kind, { write, read }) => {
      const [own, other] = await Promise.all([aTable(), aTable()]);
      const newer = newerTable(other);
      await write(own);
      await write(newer.table);

      expect(newer.written).toContain(kind);
      expect(await read(other)).toMatchObject(Object(await read(own)));
    },
  );

  it('keep the unknown fields of a claim at any depth', async () => {
    const table = await aTable();
    const claims = dynamoNodeClaims(table);
    await dynamoNodeClaims(newerTable(table).table).save(CLAIM, 0);
    const stored = await claims.find('general-1');

    await claims.save({ ...(stored?.claim ?? CLAIM), nodeName: 'node-1' }, 1);

    const unknown = { fromTheFuture: { kept: true } };
    expect((await claims.find('general-1'))?.claim).toMatchObject({
      ...unknown,
      ...{ nodeName: 'node-1', nodeClass: unknown, launch: unknown, drift: unknown },
      ...{ taints: [unknown], waitsFor: unknown, shortfall: unknown },
    });
  });
});

describe('a row with an unknown value in a known field', () => {
  interface Unknown {
    readonly what: string;
    readonly row: readonly [RowKind, string, Readonly<Record<string, unknown>>];
    readonly read: (table: DynamoTable) => Promise<unknown>;
  }

  const claim = { ...CLAIM, removal: 'Bored' };
  const command = { ...COMMAND, reason: 'Bored' };
  const UNKNOWN: readonly Unknown[] = [
    {
      what: 'a claim',
      row: ['NodeClaim', 'general-1', { claim, version: 1 }],
      read: ROWS.NodeClaim.read,
    },
    {
      what: 'a claim that is over, in the row of those that are not',
      row: ['NodeClaim', 'general-1', { claim: { ...claim, terminatedAt: NOON }, version: 1 }],
      read: ROWS.EndedNodeClaim.read,
    },
    {
      what: 'what is left of a claim that is over',
      row: ['NodeClaim', 'general-1', { claim: { terminatedAt: 'noon' }, version: 1 }],
      read: ROWS.EndedNodeClaim.read,
    },
    {
      what: 'compressed content',
      row: ['Command', 'd-1', { command: zipped(command) }],
      read: ROWS.Command.read,
    },
    {
      what: 'content of another shape',
      row: ['NodeClass', 'default', { resolved: zipped({ name: 7 }) }],
      read: ROWS.NodeClass.read,
    },
    {
      what: 'content that is not compressed',
      row: ['Launch', 'p-1-0', { record: new Uint8Array([1]), version: 1 }],
      read: ROWS.Launch.read,
    },
  ];

  const SET_ASIDE = new Set(['a claim', 'compressed content', 'content that is not compressed']);

  it.each(UNKNOWN.filter(({ what }) => !SET_ASIDE.has(what)))(
    'fails the read and names the row: $what',
    async ({ row: [kind, name, row], read }) => {
      const table = await aTable();
      await table.put(kind, name, row, {});

      await expect(read(table)).rejects.toThrow(`Record ${kind}#${name} cannot be read`);
    },
  );

  it.each(UNKNOWN.filter(({ what }) => SET_ASIDE.has(what)))(
    'is named beside the list of the others: $what',
    async ({ row: [kind, name, row], read }) => {
      const table = await aTable();
      await table.put(kind, name, row, {});

      expect(await read(table)).toMatchObject({ length: 0, unreadable: [{ name }] });
    },
  );
});
