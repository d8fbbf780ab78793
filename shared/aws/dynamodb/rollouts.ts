import * as z from 'zod';
import type { StoppedRollout } from '../../model/nodes/drift.ts';
import { DAY_MS } from '../../model/time.ts';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { Rollouts } from '../../ports/learned-state.ts';
import { type DynamoTable, toExpiry } from './table/dynamo-table.ts';

const rowSchema = z.object({
  nodeClass: z.string(),
  version: z.string(),
  claim: z.string(),
  why: z.string(),
  at: z.number(),
} satisfies FieldsOf<StoppedRollout>);

/** Longer than a node class stays in use while it produces no working nodes. */
const KEPT_MS = 90 * DAY_MS;

export function dynamoRollouts(table: DynamoTable): Rollouts {
  return {
    list: () => table.list('StoppedRollout', rowSchema),
    async stop(rollout) {
      const expiresAt = toExpiry(rollout.at + KEPT_MS);
      await table.put('StoppedRollout', rollout.nodeClass, { ...rollout, expiresAt }, {});
    },
    resume: (nodeClass) => table.remove('StoppedRollout', nodeClass),
  };
}
