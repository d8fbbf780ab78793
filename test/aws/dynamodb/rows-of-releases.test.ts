import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dynamoNodeClaims } from '../../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { type DynamoTable, dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { RowKind } from '../../../shared/aws/dynamodb/table/row-kinds.ts';
import { KEPT_KINDS, keptRowsSchema, restoreRows, toValue } from '../support/kept-rows.ts';
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
  it.each(Object.entries(ROWS))('are read like rows of this release: %s', async (kind, { write, read }) => {
    const [own, other] = await Promise.all([aTable(), aTable()]);
    const newer = newerTable(other);
    await write(own);
    await write(newer.table);

    expect(newer.written).toContain(kind);
    expect(await read(other)).toMatchObject(Object(await read(own)));
  });

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

const KEPT_ROWS = new URL('releases/', import.meta.url);
const keptReleases = readdirSync(KEPT_ROWS);

describe('rows of an earlier release', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

  it('are kept for this release, so that the next one must read them', () => {
    expect(keptReleases).toContain(`${version}.rows.json`);
  });

  it.each(keptReleases)('are read as the release read them: %s', async (file) => {
    const kept = keptRowsSchema.parse(JSON.parse(readFileSync(new URL(file, KEPT_ROWS), 'utf8')));
    expect(kept.map(({ kind }) => kind)).toEqual(KEPT_KINDS);

    for (const { kind, rows, value } of kept) {
      const table = await aTable();
      await restoreRows(table, rows);
      const read = toValue(await ROWS[kind].read(table));

      expect({ kind, value: read }).toMatchObject({ kind, value });
    }
  });
});

describe('a row with an unknown value in a known field', () => {
  interface Unknown {
    readonly what: string;
    readonly row: readonly [RowKind, string, Readonly<Record<string, unknown>>];
    readonly read: (table: DynamoTable) => Promise<unknown>;
  }

  const own = JSON.stringify({ ...CLAIM, removal: 'Bored' });
  const command = { ...COMMAND, reason: 'Bored' };
  const UNKNOWN: readonly Unknown[] = [
    {
      what: 'a claim',
      row: ['Claim', 'general-1', { own, template: 'a', version: 1 }],
      read: ROWS.Claim.read,
    },
    {
      what: 'what is left of a claim that is over',
      row: ['Claim', 'general-1', { terminatedAt: 'noon', version: 1 }],
      read: ROWS.EndedClaim.read,
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

      expect(await read(table)).toMatchObject({ records: [], unreadable: [{ name }] });
    },
  );
});
