import * as z from 'zod';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { InstanceType } from '../model/offerings/instance-type.ts';
import { instanceTypeSchema } from '../model-schema/offering-schema.ts';
import { snapshotSchema } from '../model-schema/snapshot-schema.ts';
import type { DecisionInput, Redacted } from '../ports/decision-log.ts';
import { RECORD_VERSION } from './decision-document.ts';
import { decisionDocumentSchema } from './decision-schema.ts';
import { parseRecord, UnreadableRecordError } from './errors.ts';
import type { PartHash, TableName } from './packed-snapshot.ts';
import { frameSchema, type PackedSnapshot, TABLES } from './packed-snapshot-schema.ts';
import { type RowSources, readRows } from './read-rows.ts';

/** A decision that was read from a record. */
export interface ReadDecision {
  readonly id: string;
  readonly at: number;
  readonly release: string;
  readonly kind: 'provisioning' | 'disruption' | 'confirmation';
  /** The number of equal decisions without effect that were made before this one and not recorded. */
  readonly unrecorded: number;
  /** Undefined if names are real. */
  readonly redacted?: Redacted;
  readonly input: DecisionInput;
  /** The plan as it was made, as JSON. */
  readonly planJson: string;
}

/**
 * Reads a recorded decision with its input.
 *
 * @param content - the document, parsed from its JSON
 * @throws UnreadableRecordError - the record is damaged, incomplete, or of a later release
 */
export function readDecision(content: unknown, readPart: ReadPart): ReadDecision {
  refuseOtherVersions(content);
  const document = parseRecord(decisionDocumentSchema, content, 'decision');
  const { id, at, release, decision: kind, unrecorded = 0, redacted, input, plan } = document;
  const snapshot = unpackSnapshot(input.snapshot, readPart);
  const planJson = JSON.stringify(plan);
  return {
    ...{ id, at, release, kind, unrecorded },
    ...(redacted && { redacted }),
    input: { ...input, snapshot },
    planJson,
  };
}

/** @throws UnreadableRecordError - the content is of a version that this release cannot read */
export function refuseOtherVersions(content: unknown): void {
  const version =
    typeof content === 'object' && content !== null && 'apiVersion' in content ? String(content.apiVersion) : 'none';
  if (version === RECORD_VERSION) return;
  const why = `has the version ${version}; this release reads ${RECORD_VERSION}`;
  throw new UnreadableRecordError('apiVersion', { why });
}

/**
 * Returns the content of a part, parsed from its JSON.
 *
 * @throws UnreadableRecordError - there is no such part
 */
type ReadPart = (hash: PartHash) => unknown;

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
