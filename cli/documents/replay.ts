import * as z from 'zod';

const planSummarySchema = z.object({
  launches: z.number().int().meta({ description: 'NodeClaims to launch, replacements included' }),
  hourlyUsd: z.number().meta({ description: 'price of the launches, USD per hour' }),
  placed: z.number().int().meta({ description: 'pods with a place, on new or existing nodes' }),
  unplaced: z.number().int().meta({ description: 'pods without a place' }),
  removes: z.array(z.string()).meta({ description: 'NodeClaims to remove' }),
});

export const replaySchema = z.object({
  decisions: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      kind: z.enum(['provisioning', 'disruption', 'confirmation']),
      equal: z.boolean(),
      /** The first field that differs; absent if the plans are equal. */
      difference: z.string().exactOptional(),
      recorded: planSummarySchema,
      replayed: planSummarySchema,
    }),
  ),
});

export type PlanSummary = z.infer<typeof planSummarySchema>;
export type Replay = z.infer<typeof replaySchema>;
