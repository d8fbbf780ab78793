import * as z from 'zod';
import type { Taint, Toleration } from '../../model/requirements/taints.ts';
import { TAINT_EFFECTS } from '../custom-resources/taints.ts';

/** A taint of a Node. */
export const taintSchema = z.object({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(TAINT_EFFECTS),
  timeAdded: z.unknown().optional(),
});

interface Written extends Pick<Taint, 'key' | 'effect'> {
  readonly value?: string | undefined;
}

export const readTaint = ({ key, value, effect }: Written): Taint => ({
  key,
  ...(value !== undefined && { value }),
  effect,
});

export const tolerationSchema = z.object({
  key: z.string().optional(),
  operator: z.enum(['Exists', 'Equal', 'Gt', 'Lt']).default('Equal'),
  value: z.string().optional(),
  /** Empty means every effect. */
  effect: z.enum([...TAINT_EFFECTS, '']).optional(),
  tolerationSeconds: z.unknown().optional(),
});

export const readToleration = ({ key, operator, value, effect }: z.output<typeof tolerationSchema>): Toleration => ({
  ...(key && { key }),
  operator,
  ...(value !== undefined && { value }),
  ...(effect && { effect }),
});
