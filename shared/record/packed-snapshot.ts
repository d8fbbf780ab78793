import * as z from 'zod';
import { nodeClaimSchema } from '../model-schema/node-claim-schema.ts';
import { nodeSchema } from '../model-schema/node-schema.ts';
import { podSchema } from '../model-schema/pod-schema.ts';
import { podDisruptionBudgetSchema, podOwnerSchema } from '../model-schema/workload-schema.ts';

/*
 * How a snapshot is stored.
 *
 * A snapshot of 1,000 nodes is 50 MB of JSON, and the next one differs from it in a few pods. Three
 * steps make it small:
 *
 *   values    objects inside a row (spec, labels, requirements) are written once; the row has their
 *             index, under the name of the field with an @ before it
 *   frames    the rows of one snapshot are a part of their own, the frame. The snapshots after it
 *             name the rows that they share with it as spans [first row, count], and write the others
 *   parts     large fields that seldom change (instance types, prices) are parts as well. A part is
 *             stored once under the SHA-256 of its JSON
 *
 * A snapshot refers to one frame and never to another snapshot, so reading it takes two steps however
 * long the history is.
 */

/** The lists that change from snapshot to snapshot, and the schemas of their rows. */
export const TABLES = {
  pods: podSchema,
  nodes: nodeSchema,
  claims: nodeClaimSchema,
  owners: podOwnerSchema,
  podDisruptionBudgets: podDisruptionBudgetSchema,
} as const;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = ['pods', 'nodes', 'claims', 'owners', 'podDisruptionBudgets'] as const;

/** The SHA-256 of a part's JSON, in hexadecimal. */
export type PartHash = string;
const partHashSchema = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal');

const rowSchema = z.record(z.string(), z.unknown());
const spanSchema = z.tuple([z.int().min(0), z.int().min(1)]);

const tablesOf = <T extends z.ZodType>(entry: T) =>
  z.looseObject({
    pods: z.array(entry),
    nodes: z.array(entry),
    claims: z.array(entry),
    owners: z.array(entry).exactOptional(),
    podDisruptionBudgets: z.array(entry),
  });

/** The rows of one snapshot, to which later snapshots refer. */
export const frameSchema = z.looseObject({
  values: z.array(z.unknown()),
  rows: tablesOf(rowSchema),
});

export const packedSnapshotSchema = z.looseObject({
  frame: partHashSchema,
  /** The values that the frame does not have; their numbers continue those of the frame. */
  values: z.array(z.unknown()),
  rows: tablesOf(z.union([spanSchema, rowSchema])),
  /** Fields that are parts. */
  parts: z.record(z.string(), partHashSchema),
  /** By NodePool. */
  instanceTypes: z.record(z.string(), partHashSchema),
  /** All other fields. */
  fields: z.record(z.string(), z.unknown()),
});

export type PackedRow = z.infer<typeof rowSchema>;
export type PackedSnapshot = z.infer<typeof packedSnapshotSchema>;
