import { z } from 'zod';
import type { Hint } from '../ports/work-queue.ts';

const noticeSchema = z.object({
  kind: z.enum([
    'spot-interruption',
    'rebalance-recommendation',
    'scheduled-change',
    'state-change',
  ]),
  providerId: z.string(),
  at: z.number(),
});

const hintSchema: z.ZodType<Hint> = z.discriminatedUnion('topic', [
  z.object({ topic: z.literal('plan') }),
  z.object({ topic: z.literal('claim'), claim: z.string() }),
  z.object({ topic: z.literal('disrupt') }),
  z.object({ topic: z.literal('sweep') }),
  z.object({ topic: z.literal('interruption'), notice: noticeSchema }),
]);

/** What a message says. Absent: it is none of ours, and no retry would make it one. */
export function parseHint(body: string): Hint | undefined {
  return hintSchema.safeParse(parseJson(body)).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
