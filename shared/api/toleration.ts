import * as z from 'zod';
import type { Toleration } from '../model/taints.ts';
import { TAINT_EFFECTS } from './objects/taints.ts';

export const tolerationSchema = z.object({
  key: z.string().optional(),
  operator: z.enum(['Exists', 'Equal', 'Gt', 'Lt']).default('Equal'),
  value: z.string().optional(),
  /** Empty means every effect. */
  effect: z.enum([...TAINT_EFFECTS, '']).optional(),
});

export const readToleration = ({
  key,
  operator,
  value,
  effect,
}: z.output<typeof tolerationSchema>): Toleration => ({
  ...(key ? { key } : {}),
  operator,
  ...(value === undefined ? {} : { value }),
  ...(effect ? { effect } : {}),
});
