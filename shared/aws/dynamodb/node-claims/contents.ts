import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { DAY_MS, type EpochMs } from '../../../model/time.ts';
import { gzippedJson } from '../../gzip-json.ts';
import { toExpiry } from '../table/conditions.ts';
import type { DynamoTable } from '../table/dynamo-table.ts';

/** Contents that no function has read for half a year expire half a year later. */
const KEPT_MS = 365 * DAY_MS;
const RENEWED_BEFORE_END_MS = KEPT_MS / 2;
/** Bounds the memory of a process that runs for months. */
const MAX_CACHED = 20_000;
/** 132 bits: two contents never share a hash. */
const HASH_LENGTH = 22;

/** Values that many rows share, stored once, compressed, under their hash. */
export interface Contents<T> {
  /** Stores the value unless it is stored. Returns its hash. */
  store(value: Fields): Promise<string>;
  /** Returns the stored values by hash. A hash without a value is left out. */
  load(hashes: Iterable<string>): Promise<ReadonlyMap<string, T>>;
  /** Stores the values again that are in use and expire in less than half a year. */
  renew(hashes: Iterable<string>): Promise<void>;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Equal values are one row, so nothing ever changes a row and a copy in memory never becomes
 * outdated.
 */
export function dynamoContents<T>(table: DynamoTable, schema: z.ZodType<T>, now: () => EpochMs): Contents<T> {
  const rowSchema = z.object({ content: gzippedJson(schema), expiresAt: z.number() });
  const cached = new Map<string, { readonly value: T; readonly expiresAt: EpochMs }>();
  const writes = new Map<string, Promise<boolean>>();

  function remember(hash: string, value: T, expiresAt: EpochMs): void {
    const [oldest] = cached.keys();
    if (cached.size >= MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    cached.set(hash, { value, expiresAt });
  }

  async function write(hash: string, json: string): Promise<boolean> {
    const expiresAt = now() + KEPT_MS;
    const row = { content: gzipSync(json), expiresAt: toExpiry(expiresAt) };
    await table.put('ClaimContent', hash, row, {});
    remember(hash, schema.parse(JSON.parse(json)), expiresAt);
    return true;
  }

  /** Claims of a plan are stored at once and share their contents: one write serves them all. */
  async function writeOnce(hash: string, json: string): Promise<void> {
    const running = writes.get(hash) ?? write(hash, json);
    writes.set(hash, running);
    try {
      await running;
    } finally {
      writes.delete(hash);
    }
  }

  const isFresh = (hash: string): boolean => (cached.get(hash)?.expiresAt ?? 0) > now() + RENEWED_BEFORE_END_MS;

  return {
    async store(value) {
      const json = toCanonicalJson(value);
      const hash = createHash('sha256').update(json).digest('base64url').slice(0, HASH_LENGTH);
      if (!isFresh(hash)) await writeOnce(hash, json);
      return hash;
    },
    async load(hashes) {
      const requested = new Set(hashes);
      const missing = [...requested].filter((hash) => !cached.has(hash));
      const rows = await table.getMany('ClaimContent', missing, rowSchema);
      for (const [hash, { content, expiresAt }] of rows) {
        remember(hash, content, expiresAt * 1_000);
      }
      return new Map(
        [...requested].flatMap((hash) => {
          const value = rows.get(hash)?.content ?? cached.get(hash)?.value;
          return value === undefined ? [] : [[hash, value] as const];
        }),
      );
    },
    async renew(hashes) {
      const old = [...new Set(hashes)].flatMap((hash) => {
        const entry = cached.get(hash);
        return entry && !isFresh(hash) ? [[hash, toCanonicalJson(entry.value)] as const] : [];
      });
      await Promise.all(old.map(([hash, json]) => writeOnce(hash, json)));
    },
  };
}

/** Writes the fields of all objects in the order of their names, so that equal values are equal texts. */
const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
