import * as z from 'zod';
import { oneOf } from '../../model-schema/exact-schema.ts';
import type { Installation, Installations } from '../../ports/cluster-setup.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const hooksSchema: z.ZodType<Installation['hooks']> = z.union([
  z.object({ state: z.literal('none') }),
  z.object({ state: z.literal('placed'), since: z.number() }),
  z.object({
    state: z.literal('withdrawn'),
    since: z.number(),
    by: oneOf<'breaker' | 'operator'>({ breaker: 'breaker', operator: 'operator' }),
    why: z.string(),
  }),
]);

const rowSchema: z.ZodType<Installation> = z.object({
  release: z.string(),
  eventSource: oneOf<Installation['eventSource']>({
    hook: 'hook',
    poll: 'poll',
    controller: 'controller',
  }),
  why: z.string(),
  isEgressRouted: z.boolean(),
  hasOtherHooks: z.boolean(),
  hooks: hooksSchema,
});

/** A cluster is set up once, so there is a single row. */
const NAME = 'cluster';

/**
 * The last writer wins: only the setup function writes the row, after it has changed the cluster.
 */
export const dynamoInstallations = (table: DynamoTable): Installations => ({
  find: () => table.get('Installation', NAME, rowSchema),
  async save(installation) {
    await table.put('Installation', NAME, { ...installation }, {});
  },
});
