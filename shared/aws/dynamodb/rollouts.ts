import * as z from 'zod';
import { DAY_MS } from '../../model/time.ts';
import { stoppedRolloutFields } from '../../model-schema/node-class-schema.ts';
import type { Rollouts } from '../../ports/learned-state.ts';
import { toExpiry } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object(stoppedRolloutFields);

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
