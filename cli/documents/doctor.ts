import * as z from 'zod';
import { CHECK_GROUPS } from './check-groups.ts';

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
