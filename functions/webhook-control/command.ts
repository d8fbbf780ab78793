import * as z from 'zod';

/** A command of the schedule, the sweep or an operator. */
export const commandSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('keep') }),
  z.object({
    action: z.literal('withdraw-hooks'),
    by: z.enum(['breaker', 'operator']).default('operator'),
    why: z.string().default('an operator asked for it'),
  }),
  z.object({ action: z.literal('probe-hooks') }),
  z.object({ action: z.literal('restore-hooks') }),
  z.object({ action: z.literal('rotate-token') }),
]);

export type HookCommand = z.output<typeof commandSchema>;
