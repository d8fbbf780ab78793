import * as z from 'zod';
import type { Taint } from '../model/taints.ts';
import { taintTextSchema } from './labels.ts';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export const taintSchema = z.object({
  key: taintTextSchema,
  value: taintTextSchema.optional(),
  effect: z.enum(TAINT_EFFECTS),
  timeAdded: z.unknown().optional(),
});

export const readTaint = ({ key, value, effect }: z.output<typeof taintSchema>): Taint => ({
  key,
  ...(value === undefined ? {} : { value }),
  effect,
});
