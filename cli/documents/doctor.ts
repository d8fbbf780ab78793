import * as z from 'zod';

/** The groups of checks, in the order in which they are shown. */
const CHECK_GROUPS = [
  'cluster',
  'account',
  'stack',
  'queue',
  'hook',
  'nodes',
  'pools',
  'foreign',
] as const;

const checkSchema = z.object({
  /** Stable, such as `nodes/access-entry`. */
  id: z.string(),
  group: z.enum(CHECK_GROUPS),
  /** `unknown` if it could not be read. */
  status: z.enum(['ok', 'warn', 'fail', 'unknown']),
  evidence: z.string(),
  fix: z.string().exactOptional(),
});

export const doctorSchema = z.object({ checks: z.array(checkSchema) });

export type Check = z.infer<typeof checkSchema>;
export type CheckGroup = Check['group'];
