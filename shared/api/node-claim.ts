import * as z from 'zod';
import { durationSchema, nillableDurationSchema } from './durations.ts';
import { objectSchema } from './metadata.ts';
import { nodeClassRefSchema } from './node-class-ref.ts';
import { quantitiesSchema } from './quantities.ts';
import { requirementsSchema } from './requirement.ts';
import { taintSchema } from './taint.ts';

/** NodeClaim as users may write it by hand, defaults filled in. */
export const nodeClaimSchema = objectSchema(
  'karpenter.sh/v1',
  'NodeClaim',
  z.object({
    requirements: requirementsSchema('NodeClaim'),
    nodeClassRef: nodeClassRefSchema,
    taints: z.array(taintSchema).optional(),
    startupTaints: z.array(taintSchema).optional(),
    resources: z.object({ requests: quantitiesSchema.optional() }).optional(),
    terminationGracePeriod: durationSchema.optional(),
    expireAfter: nillableDurationSchema.default('720h'),
  }),
);
