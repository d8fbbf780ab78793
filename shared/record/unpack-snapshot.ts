import * as z from 'zod';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { InstanceType } from '../model/offerings/instance-type.ts';
import { instanceTypeSchema } from '../model-schema/offering-schema.ts';
import { snapshotSchema } from '../model-schema/snapshot-schema.ts';
import { parseRecord } from './errors.ts';
import type { PartHash, TableName } from './packed-snapshot.ts';
import { frameSchema, type PackedSnapshot, TABLES } from './packed-snapshot-schema.ts';
import { type RowSources, readRows } from './read-rows.ts';

/**
 * Returns the content of a part, parsed from its JSON.
 *
 * @throws UnreadableRecordError - there is no such part
 */
export type ReadPart = (hash: PartHash) => unknown;

/** The fields that are not tables. */
const fieldsSchema = snapshotSchema.omit({
  pods: true,
  nodes: true,
  claims: true,
  owners: true,
  podDisruptionBudgets: true,
  instanceTypes: true,
});

/**
 * Rebuilds the snapshot that was packed, with the same order of lists and fields. Rows that had equal
 * objects share one.
 *
 * @throws UnreadableRecordError - a part is missing, or a value is not valid
 */
export function unpackSnapshot(packed: PackedSnapshot, readPart: ReadPart): ClusterSnapshot {
  const frame = parseRecord(frameSchema, readPart(packed.frame), `frame ${packed.frame}`);
  const values = [...frame.values, ...packed.values];
  const fields: Record<string, unknown> = { ...packed.fields };
  for (const [name, hash] of Object.entries(packed.parts)) fields[name] = readPart(hash);
  const { rows } = packed;
  const sourcesOf = (name: TableName): RowSources => ({
    frame: frame.rows[name] ?? [],
    values,
    table: `rows.${name}`,
  });
  return {
    ...parseRecord(fieldsSchema, fields, 'fields'),
    pods: readRows(TABLES.pods, rows.pods, sourcesOf('pods')),
    nodes: readRows(TABLES.nodes, rows.nodes, sourcesOf('nodes')),
    claims: readRows(TABLES.claims, rows.claims, sourcesOf('claims')),
    ...(rows.owners && { owners: readRows(TABLES.owners, rows.owners, sourcesOf('owners')) }),
    podDisruptionBudgets: readRows(
      TABLES.podDisruptionBudgets,
      rows.podDisruptionBudgets,
      sourcesOf('podDisruptionBudgets'),
    ),
    instanceTypes: readInstanceTypes(packed, readPart),
  };
}

const typesSchema: z.ZodType<readonly InstanceType[]> = z.array(instanceTypeSchema);

/** Pools of one NodeClass share the list object, as in an observed snapshot. */
function readInstanceTypes({ instanceTypes }: PackedSnapshot, readPart: ReadPart): ClusterSnapshot['instanceTypes'] {
  const lists = new Map<PartHash, readonly InstanceType[]>();
  for (const hash of new Set(Object.values(instanceTypes))) {
    lists.set(hash, parseRecord(typesSchema, readPart(hash), `part ${hash}`));
  }
  return Object.fromEntries(Object.entries(instanceTypes).map(([pool, hash]) => [pool, lists.get(hash) ?? []]));
}
