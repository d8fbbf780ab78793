import * as z from 'zod';
import { nodeSchema } from '../model-schema/node-schema.ts';
import { podSchema } from '../model-schema/pod-schema.ts';
import type { StoredKind, StoredView } from '../ports/view-store.ts';
import { parseRecord, UnreadableRecordError } from './errors.ts';
import { writeRow } from './frame-rows.ts';
import { readRows } from './read-rows.ts';
import { createValueTable, type ValueTable } from './value-table.ts';

/**
 * The file of a stored view. Objects are rows, as in recorded snapshots: a pod refers to its labels,
 * spec and owner by number, so that the pods of one Deployment store them once. Of a pod that is
 * 5.5 kB on the API server, 60 bytes remain after compression.
 */
const FORMAT = 1;

const unreadableSchema = z.object({
  version: z.string(),
  value: z.object({
    kind: z.string(),
    namespace: z.string().exactOptional(),
    name: z.string(),
    why: z.string(),
    forbids: z.array(z.enum(['launch', 'remove'])),
  }),
});
const kindSchema = z.object({
  resourceVersion: z.string().regex(/^\d+$/, 'must be a number'),
  rows: z.array(z.record(z.string(), z.unknown())),
  versions: z.array(z.string()),
  unreadable: z.array(unreadableSchema),
});
type PackedKind = z.infer<typeof kindSchema>;

const viewSchema = z.object({
  format: z.literal(FORMAT),
  /** Another release may read objects differently. */
  release: z.string(),
  takenAt: z.number(),
  values: z.array(z.unknown()),
  pods: kindSchema.extend({ eventAt: z.array(z.number().nullable()) }),
  nodes: kindSchema,
  lastPodEventAt: z.record(z.string(), z.number()),
});

/** Returns the JSON of the view's file. */
export function writeViewFile(view: StoredView, release: string): string {
  const values = createValueTable();
  const { pods, nodes, takenAt, lastPodEventAt } = view;
  const podJson = writeKind(pods, values, ({ pod }) => pod);
  const nodeJson = writeKind(nodes, values, (node) => node);
  const eventAt = pods.objects.map(({ value }) => value.eventAt ?? null);
  const head = JSON.stringify({ format: FORMAT, release, takenAt, lastPodEventAt });
  return (
    `${head.slice(0, -1)},"pods":{${podJson},"eventAt":${JSON.stringify(eventAt)}},` +
    `"nodes":{${nodeJson}},"values":[${values.toJson()}]}`
  );
}

function writeKind<T>(
  { resourceVersion, objects, unreadable }: StoredKind<T>,
  values: ValueTable,
  toRow: (value: T) => object,
): string {
  const rows = objects.map(({ value }) => writeRow(toRow(value), values)).join(',');
  const versions = objects.map(({ version }) => version);
  const rest = JSON.stringify({ resourceVersion, versions, unreadable });
  return `"rows":[${rows}],${rest.slice(1, -1)}`;
}

/**
 * Reads a file that `writeViewFile` wrote. Objects that were equal share their parts.
 *
 * @param content - parsed from its JSON
 * @throws UnreadableRecordError - the file is damaged, or another release wrote it
 */
export function readViewFile(content: unknown, release: string): StoredView {
  const file = parseRecord(viewSchema, content, 'view');
  if (file.release !== release) {
    throw new UnreadableRecordError('view.release', { why: `is ${file.release}, not ${release}` });
  }
  const { pods, nodes, values, takenAt, lastPodEventAt } = file;
  const { eventAt } = pods;
  checkLength('view.pods.eventAt', eventAt, pods.rows);
  const podRows = readRows(podSchema, pods.rows, { frame: [], values, table: 'view.pods' });
  const nodeRows = readRows(nodeSchema, nodes.rows, { frame: [], values, table: 'view.nodes' });
  return {
    takenAt,
    pods: toStoredKind('view.pods', pods, podRows, (pod, index) => {
      const at = eventAt[index];
      return typeof at === 'number' ? { pod, eventAt: at } : { pod };
    }),
    nodes: toStoredKind('view.nodes', nodes, nodeRows, (node) => node),
    lastPodEventAt,
  };
}

function toStoredKind<Row, T>(
  path: string,
  { resourceVersion, versions, unreadable }: PackedKind,
  rows: readonly Row[],
  toValue: (row: Row, index: number) => T,
): StoredKind<T> {
  checkLength(`${path}.versions`, versions, rows);
  const objects = rows.map((row, index) => ({
    version: versions[index] ?? '',
    value: toValue(row, index),
  }));
  return { resourceVersion, objects, unreadable };
}

function checkLength(path: string, list: readonly unknown[], rows: readonly unknown[]): void {
  if (list.length === rows.length) return;
  const why = `has ${list.length} entries for ${rows.length} objects`;
  throw new UnreadableRecordError(path, { why });
}
