import * as z from 'zod';
import type { PoolBackoff } from '../model/nodes/pool-backoff.ts';
import type { FieldsOf } from './exact-schema.ts';

/** Fields of a `PoolBackoff`, for rows of the state table and for decision records. */
export const poolBackoffFields = {
  pool: z.string(),
  owner: z.string().exactOptional(),
  failures: z.int(),
  failedAt: z.number().exactOptional(),
  until: z.number(),
  message: z.string().exactOptional(),
} satisfies FieldsOf<PoolBackoff>;
