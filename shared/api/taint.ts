import * as z from 'zod';
import type { Taint } from '../model/taints.ts';
import { TAINT_EFFECTS } from './objects/taints.ts';

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
  ...(value === undefined ? {} : { value }),
  effect,
});
