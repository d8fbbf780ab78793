import * as z from 'zod/mini';
import { parseJson } from '../../shared/aws/parse-json.ts';
import type { PollMessage } from '../../shared/ports/work-queue.ts';

const messageSchema: z.ZodMiniType<PollMessage> = z.object({
  generation: z.int(),
  turn: z.int(),
  until: z.number(),
  waiting: z.string(),
});

/**
 * Parses a message of the poll loop. Returns undefined for any other message, which no retry would
 * fix.
 */
export const parseMessage = (body: string): PollMessage | undefined => z.safeParse(messageSchema, parseJson(body)).data;
