import * as z from 'zod';
import { WEEK_MIXES } from './week-cluster.ts';

/** Whose rules decide which nodes go (`policies.ts`). */
export const POLICY_NAMES = ['mortise', 'without-rights', 'karpenter', 'karpenter-balanced'] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** Which week is simulated, under which rules. */
export const weekSchema = z.object({
  /** Approximate number of nodes at the peak. */
  peakNodes: z.number().int().min(1),
  mix: z.enum(WEEK_MIXES),
  seed: z.number().int(),
  days: z.number().positive(),
  policy: z.enum(POLICY_NAMES),
});

export type Week = z.infer<typeof weekSchema>;

const percentiles = z.object({ p50: z.number(), p99: z.number() });

/** The cost of a simulated week, and how often it disturbed pods. */
export const weekFiguresSchema = z.object({
  costUsd: z.number(),
  boundUsd: z.number(),
  /** Cost divided by the bound. */
  toBound: z.number(),
  /** Cost divided by what our planner's packing of the running pods would cost, hour by hour. */
  toRepacked: z.number(),
  /** The parts of the distance to the bound, as shares of the bound; means of hourly samples. */
  distance: z.object({
    notReady: z.number(),
    unused: z.number(),
    daemonSets: z.number(),
    dear: z.number(),
  }),
  evictionsPerPodDay: z.number(),
  nodeWritesPerNodeDay: z.number(),
  launches: z.number(),
  waitMs: percentiles,
  nodeLifetimeMs: z.object({ p50: z.number(), p10: z.number() }),
  peakNodes: z.number(),
  pods: z.number(),
  /** Removed nodes by the reason of their removal. */
  removals: z.record(z.string(), z.number()),
  tookMs: z.number(),
});

export type WeekFigures = z.infer<typeof weekFiguresSchema>;

export interface WeekResult extends Week {
  readonly figures: WeekFigures;
}
