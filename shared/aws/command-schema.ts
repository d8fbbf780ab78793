import { z } from 'zod';
import type { Offering } from '../model/instance-type.ts';
import type { DisruptionCommand, PlannedClaim } from '../model/plans.ts';
import { type FieldsOf, nodeClaimSchema } from './node-claim-schema.ts';

const offeringSchema: z.ZodType<Offering> = z.object({
  instanceType: z.string(),
  zone: z.string(),
  capacityType: z.enum(['on-demand', 'spot', 'reserved']),
  hourlyUsd: z.number(),
});

const plannedClaimSchema: z.ZodType<PlannedClaim> = z.object({
  claim: nodeClaimSchema,
  pods: z.array(z.string()),
  cheapest: offeringSchema,
  nextBest: offeringSchema.exactOptional(),
} satisfies FieldsOf<PlannedClaim>);

/** A stored command. Fields that a newer release added stay on it. */
export const commandSchema: z.ZodType<DisruptionCommand> = z.looseObject({
  id: z.string(),
  reason: z.enum(['Underutilized', 'Empty', 'Drifted']),
  decidedAt: z.number(),
  validatedAt: z.number().exactOptional(),
  candidates: z.array(z.string()),
  replacements: z.array(plannedClaimSchema),
  placements: z.array(z.object({ target: z.string(), pods: z.array(z.string()) })),
  savingHourlyUsd: z.number(),
} satisfies FieldsOf<DisruptionCommand>);
