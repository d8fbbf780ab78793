import * as z from 'zod';
import { budgetSchema } from './disruption-budget.ts';
import { durationSchema, nillableDurationSchema } from './durations.ts';
import { ruleRefused } from './finding.ts';
import { nodeLabelsSchema, textsSchema } from './labels.ts';
import { objectSchema } from './metadata.ts';
import { nodeClassRefSchema } from './node-class-ref.ts';
import { quantitiesSchema } from './quantities.ts';
import { refuse } from './read-with-schema.ts';
import { requirementsSchema } from './requirement.ts';
import { taintSchema } from './taint.ts';

const disruptionSchema = z.object({
  consolidateAfter: nillableDurationSchema.default('0s'),
  consolidationPolicy: z
    .enum(['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'])
    .default('WhenEmptyOrUnderutilized'),
  budgets: z
    .array(budgetSchema)
    .max(50)
    .default([{ nodes: '10%' }]),
});

const templateSchema = z.object({
  metadata: z
    .object({ labels: nodeLabelsSchema.optional(), annotations: textsSchema.optional() })
    .optional(),
  spec: z.object({
    nodeClassRef: nodeClassRefSchema,
    requirements: requirementsSchema('NodePool'),
    taints: z.array(taintSchema).optional(),
    startupTaints: z.array(taintSchema).optional(),
    terminationGracePeriod: durationSchema.optional(),
    expireAfter: nillableDurationSchema.default('720h'),
  }),
});

const specSchema = z
  .object({
    weight: z.int().min(1).max(100).optional(),
    replicas: z.int().min(0).optional(),
    limits: quantitiesSchema.optional(),
    disruption: disruptionSchema.prefault({}),
    template: templateSchema,
  })
  .superRefine(({ replicas, limits = {}, weight }, ctx) => {
    if (replicas === undefined) return;
    if (Object.keys(limits).some((name) => name !== 'nodes')) {
      const why = 'with replicas, only limits.nodes is allowed';
      refuse(ctx, ruleRefused('NP-02', 'limits on a static pool', why, 'keep nodes alone'), [
        'limits',
      ]);
    }
    if (weight !== undefined) {
      const why = 'with replicas, pods do not choose the pool';
      refuse(ctx, ruleRefused('NP-03', 'weight on a static pool', why, 'take weight out'), [
        'weight',
      ]);
    }
  });

/** NodePool as users write it, defaults filled in. */
export const nodePoolSchema = objectSchema('karpenter.sh/v1', 'NodePool', specSchema);
export type WrittenNodePool = z.output<typeof nodePoolSchema>;
