import * as z from 'zod';
import { nodeClaimSchema } from '../model-schema/node-claim-schema.ts';
import { nodeSchema } from '../model-schema/node-schema.ts';
import { podSchema } from '../model-schema/pod-schema.ts';
import { podDisruptionBudgetSchema, podOwnerSchema } from '../model-schema/workload-schema.ts';
import type { TableName } from './packed-snapshot.ts';

/** The schemas of the rows of each table. */
export const TABLES = {
  pods: podSchema,
  nodes: nodeSchema,
  claims: nodeClaimSchema,
  owners: podOwnerSchema,
  podDisruptionBudgets: podDisruptionBudgetSchema,
} as const satisfies Record<TableName, z.ZodObject>;

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
