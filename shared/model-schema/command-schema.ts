import * as z from 'zod';
import type { ClaimChoice, CommandRepair, DisruptionCommand, MovePrice, PlannedClaim } from '../model/plans.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { nodeClaimSchema } from './node-claim-schema.ts';
import { disruptionReasonSchema } from './node-pool-schema.ts';
import { offeringSchema } from './offering-schema.ts';

const choiceSchema: z.ZodType<ClaimChoice> = z.object({
  weight: z.number(),
  pools: z.array(z.object({ pool: z.string(), weight: z.number(), hourlyUsd: z.number() })),
  types: z.object({ suiting: z.number(), open: z.number() }),
  zones: z.array(z.object({ zone: z.string(), hourlyUsd: z.number() })),
  pinnedTo: z.array(z.string()),
  onDemandFor: oneOf<NonNullable<ClaimChoice['onDemandFor']>>({
    NodePool: 'NodePool',
    pods: 'pods',
  }).exactOptional(),
  commitment: z.string().exactOptional(),
} satisfies FieldsOf<ClaimChoice>);

const plannedClaimSchema: z.ZodType<PlannedClaim> = z.object({
  claim: nodeClaimSchema,
  pods: z.array(z.string()),
  headroom: z.array(z.string()).exactOptional(),
  anticipated: z.array(z.string()).exactOptional(),
  cheapest: offeringSchema,
  nextBest: offeringSchema.exactOptional(),
  choice: choiceSchema.exactOptional(),
} satisfies FieldsOf<PlannedClaim>);

/** A stored command. Fields that a newer release added are kept. */
export const commandSchema: z.ZodType<DisruptionCommand> = z.looseObject({
  id: z.string(),
  reason: disruptionReasonSchema,
  decidedAt: z.number(),
  validatedAt: z.number().exactOptional(),
  candidates: z.array(z.string()),
  replacements: z.array(plannedClaimSchema),
  placements: z.array(
    z.object({
      target: z.string(),
      pods: z.array(z.string()),
      anticipated: z.array(z.string()).exactOptional(),
    }),
  ),
  savingHourlyUsd: z.number(),
  price: z
    .object({
      evictions: z.number(),
      costUsd: z.number(),
      paybackMs: z.number(),
    } satisfies FieldsOf<MovePrice>)
    .exactOptional(),
  offHoursOf: z.string().exactOptional(),
  terminatesFirst: z.literal(true).exactOptional(),
  repair: z
    .object({
      condition: z.string(),
      status: oneOf<CommandRepair['status']>({ False: 'False', Unknown: 'Unknown' }),
      since: z.number(),
      drainMs: z.number(),
      reboots: z.literal(true).exactOptional(),
      fault: z.string().exactOptional(),
    } satisfies FieldsOf<CommandRepair>)
    .exactOptional(),
} satisfies FieldsOf<DisruptionCommand>);
