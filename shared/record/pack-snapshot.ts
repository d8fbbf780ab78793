import { createHash } from 'node:crypto';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { createFrameRows, type FrameRows } from './frame-rows.ts';
import { type PartHash, TABLE_NAMES } from './packed-snapshot.ts';
import { createValueTable } from './value-table.ts';

/** A field whose JSON is longer is stored as a part. */
const MAX_INLINE_LENGTH = 1_000;
/** A new frame is started when a snapshot has more than this share of rows of its own. */
const MAX_OWN_ROWS_SHARE = 0.1;

/** The JSON of a part, and the name that it is stored under. */
export interface Part {
  readonly hash: PartHash;
  readonly json: string;
}

export interface PackedJson {
  /** The JSON of a `PackedSnapshot`. */
  readonly json: string;
  /** The parts that it refers to and that no earlier snapshot of this packer referred to. */
  readonly newParts: readonly Part[];
}

/** Packs the snapshots of one process, one after the other. */
export interface SnapshotPacker {
  /** Objects that are the same as in earlier snapshots are not serialised again. */
  pack(snapshot: ClusterSnapshot): PackedJson;
  /** Forgets all parts, so that the next snapshot returns them again. */
  reset(): void;
}

/** Creates a packer; `packed-snapshot.ts` explains the format. */
export function createSnapshotPacker(): SnapshotPacker {
  let parts = createPartTable();
  let frame: { readonly rows: FrameRows; readonly hash: PartHash } | undefined;

  function packRows(snapshot: ClusterSnapshot): string {
    if (frame) {
      const packed = packAgainst(frame.rows, snapshot);
      if (packed.ownShare <= MAX_OWN_ROWS_SHARE) return `"frame":"${frame.hash}",${packed.json}`;
    }
    const rows = createFrameRows(snapshot);
    frame = { rows, hash: parts.add(rows.toJson()) };
    return `"frame":"${frame.hash}",${packAgainst(rows, snapshot).json}`;
  }

  return {
    pack(snapshot) {
      const rows = packRows(snapshot);
      const { fields, partFields } = packFields(snapshot, parts);
      const instanceTypes = Object.fromEntries(
        Object.entries(snapshot.instanceTypes).map(([pool, types]) => [pool, parts.addObject(types)]),
      );
      const rest = JSON.stringify({ parts: partFields, instanceTypes, fields });
      return { json: `{${rows},${rest.slice(1)}`, newParts: parts.takeNew() };
    },
    reset() {
      parts = createPartTable();
      frame = undefined;
    },
  };
}

interface PartTable {
  add(json: string): PartHash;
  /** An object that was added before is not serialised again. */
  addObject(value: object): PartHash;
  /** @returns undefined if the object is short, which is then no part */
  addIfLong(value: object): PartHash | undefined;
  /** Returns the parts that were added since the last call. */
  takeNew(): readonly Part[];
}

function createPartTable(): PartTable {
  const hashes = new Set<PartHash>();
  const hashByObject = new WeakMap<object, PartHash>();
  let added: Part[] = [];

  function add(json: string): PartHash {
    const hash = createHash('sha256').update(json).digest('hex');
    if (!hashes.has(hash)) added.push({ hash, json });
    hashes.add(hash);
    return hash;
  }

  function addAs(value: object, json: string): PartHash {
    const hash = add(json);
    hashByObject.set(value, hash);
    return hash;
  }

  return {
    add,
    addObject: (value) => hashByObject.get(value) ?? addAs(value, JSON.stringify(value)),
    addIfLong(value) {
      const existing = hashByObject.get(value);
      if (existing !== undefined) return existing;
      const json = JSON.stringify(value);
      return json.length > MAX_INLINE_LENGTH ? addAs(value, json) : undefined;
    },
    takeNew() {
      const taken = added;
      added = [];
      return taken;
    },
  };
}

interface PackedFields {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly partFields: Readonly<Record<string, PartHash>>;
}

/** Packs everything besides the tables and the instance types. */
function packFields({ instanceTypes: _, ...snapshot }: ClusterSnapshot, parts: PartTable): PackedFields {
  const fields: Record<string, unknown> = {};
  const partFields: Record<string, PartHash> = {};
  const tables: ReadonlySet<string> = new Set(TABLE_NAMES);
  for (const [name, value] of Object.entries(snapshot)) {
    if (value === undefined || tables.has(name)) continue;
    const hash = typeof value === 'object' ? parts.addIfLong(value) : undefined;
    if (hash === undefined) fields[name] = value;
    else partFields[name] = hash;
  }
  return { fields, partFields };
}

function packAgainst(
  frame: FrameRows,
  snapshot: ClusterSnapshot,
): { readonly json: string; readonly ownShare: number } {
  const values = createValueTable(frame.values);
  let ownRows = 0;
  let rowCount = 0;
  const tables: string[] = [];
  for (const name of TABLE_NAMES) {
    const list = snapshot[name];
    if (!list) continue;
    const written = frame.writeRows(name, list, values);
    ownRows += written.ownRows;
    rowCount += list.length;
    tables.push(`${JSON.stringify(name)}:[${written.json}]`);
  }
  return {
    json: `"values":[${values.toJson()}],"rows":{${tables.join(',')}}`,
    ownShare: rowCount === 0 ? 0 : ownRows / rowCount,
  };
}
