import * as z from 'zod';
import { oneOf } from '../../model-schema/exact-schema.ts';
import type { Hint, InterruptionNotice } from '../../ports/work-queue.ts';
import { parseJson } from '../parse-json.ts';

const noticeSchema: z.ZodType<InterruptionNotice> = z.object({
  kind: oneOf<InterruptionNotice['kind']>({
    'spot-interruption': 'spot-interruption',
    'reservation-interruption': 'reservation-interruption',
    'rebalance-recommendation': 'rebalance-recommendation',
    'scheduled-change': 'scheduled-change',
    'instance-stopped': 'instance-stopped',
    'instance-terminated': 'instance-terminated',
    'state-change': 'state-change',
  }),
  providerId: z.string(),
  at: z.number(),
});

/** A topic without a schema does not compile. */
const SCHEMAS: { readonly [T in Hint['topic']]: z.ZodType<Extract<Hint, { topic: T }>> } = {
  plan: z.object({ topic: z.literal('plan') }),
  claim: z.object({
    topic: z.literal('claim'),
    claim: z.string(),
    generation: z.int().exactOptional(),
    inDoubt: z.literal(true).exactOptional(),
    isUnlisted: z.literal(true).exactOptional(),
  }),
  disrupt: z.object({ topic: z.literal('disrupt') }),
  sweep: z.object({
    topic: z.literal('sweep'),
    tries: z.int().exactOptional(),
    from: z.int().exactOptional(),
  }),
  class: z.object({ topic: z.literal('class') }),
  interruption: z.object({ topic: z.literal('interruption'), notice: noticeSchema }),
};
const hintSchema = z.union(Object.values(SCHEMAS));

/** Returns undefined if the body is not a hint; a retry would not change that. */
export function parseHint(body: string): Hint | undefined {
  return hintSchema.safeParse(parseJson(body)).data;
}
