import * as z from 'zod';
import { TIMELINE_PHASES } from '../../shared/lifecycle/claim-timeline.ts';

const phaseSchema = z.object({
  name: z.enum(TIMELINE_PHASES),
  at: z.iso.datetime(),
  /** Since the phase before. */
  ms: z.number().int().optional(),
  decision: z.string().optional(),
});

export const timelineSchema = z.object({
  nodeClaim: z.string(),
  nodePool: z.string().optional(),
  node: z.string().optional(),
  instanceType: z.string().optional(),
  capacityType: z.string().optional(),
  zone: z.string().optional(),
  phases: z.array(phaseSchema),
  /** From the pending pod, or else from the decision, to the running pod. */
  startMs: z.number().int().optional(),
  /** The condition that the next phase waits for. */
  waitsFor: z
    .object({
      condition: z.string(),
      reason: z.string(),
      message: z.string(),
      since: z.iso.datetime().optional(),
    })
    .optional(),
});

export type Timeline = z.infer<typeof timelineSchema>;
