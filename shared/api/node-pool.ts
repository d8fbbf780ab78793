import type * as z from 'zod';
import { NODE_POOL } from './objects/node-pool.ts';
import { storedSchema } from './stored-schema.ts';

/** NodePool as the API server keeps it. */
export const nodePoolSchema = storedSchema(NODE_POOL);
export type WrittenNodePool = z.output<typeof nodePoolSchema>;
