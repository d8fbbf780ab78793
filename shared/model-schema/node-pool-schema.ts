import * as z from 'zod';
import type { Budget, DisruptionReason, NodePool } from '../model/nodes/node-pool.ts';
import type { HoursWindow, PoolHours } from '../model/nodes/pool-hours.ts';
import type { OnDemandShare } from '../model/offerings/on-demand-share.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { amountsSchema, labelsSchema, nodeClassRefSchema, requirementSchema, taintSchema } from './field-schemas.ts';

export const disruptionReasonSchema = oneOf<DisruptionReason>({
  Underutilized: 'Underutilized',
  Empty: 'Empty',
  Drifted: 'Drifted',
  Unhealthy: 'Unhealthy',
});

const budgetSchema = z.looseObject({
  nodes: z.string(),
  reasons: z.array(disruptionReasonSchema).exactOptional(),
  schedule: z.string().exactOptional(),
  durationMs: z.number().exactOptional(),
} satisfies FieldsOf<Budget>);

const hoursSchema = z.looseObject({
  windows: z.array(z.looseObject({ schedule: z.string(), durationMs: z.number() } satisfies FieldsOf<HoursWindow>)),
  offHoursNodes: z.number(),
} satisfies FieldsOf<PoolHours>);

const disruptionSchema = z.looseObject({
  consolidateAfterMs: z.union([z.number(), z.literal('Never')]),
  policy: oneOf<NodePool['disruption']['policy']>({
    WhenEmpty: 'WhenEmpty',
    WhenEmptyOrUnderutilized: 'WhenEmptyOrUnderutilized',
    Balanced: 'Balanced',
  }),
  budgets: z.array(budgetSchema),
} satisfies FieldsOf<NodePool['disruption']>);

const onDemandShareSchema = z.looseObject({
  base: z.number(),
  percentAboveBase: z.number(),
} satisfies FieldsOf<OnDemandShare>);

export const nodePoolSchema: z.ZodType<NodePool> = z.looseObject({
  name: z.string(),
  uid: z.string(),
  generation: z.number().exactOptional(),
  nodeClassGeneration: z.number().exactOptional(),
  weight: z.number(),
  nodeClass: nodeClassRefSchema,
  requirements: z.array(requirementSchema),
  labels: labelsSchema,
  annotations: labelsSchema,
  taints: z.array(taintSchema),
  startupTaints: z.array(taintSchema),
  limits: amountsSchema,
  hours: hoursSchema.exactOptional(),
  disruption: disruptionSchema,
  perNodeHourlyUsd: z.number().exactOptional(),
  onDemandShare: onDemandShareSchema.exactOptional(),
  expireAfterMs: z.number().exactOptional(),
  expiresVoluntarily: z.literal(true).exactOptional(),
  terminationGracePeriodMs: z.number().exactOptional(),
  minDrainMs: z.number().exactOptional(),
  replicas: z.number().exactOptional(),
  hash: z.string(),
  ready: z.boolean(),
  notReady: z
    .looseObject({
      condition: z.string(),
      message: z.string(),
      classWrittenAt: z.number().exactOptional(),
    })
    .exactOptional(),
  deleting: z.boolean(),
  isRollingOut: z.literal(true).exactOptional(),
} satisfies FieldsOf<NodePool>);
