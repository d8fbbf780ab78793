import * as z from 'zod';

const partSchema = z.object({
  /** The source: the console of EC2, or the boot log that SSM reads on the instance. */
  from: z.enum(['console', 'boot-log']),
  /** Undefined if there is none, or if it cannot be read. */
  text: z.string().optional(),
  why: z.string().optional(),
});

export const nodeLogSchema = z.object({
  instance: z.string(),
  nodeClaim: z.string().optional(),
  node: z.string().optional(),
  parts: z.array(partSchema),
  /** The cause that the texts show. */
  finding: z.enum(['no-route', 'no-access-entry', 'wrong-ami']).optional(),
});

export type NodeLog = z.infer<typeof nodeLogSchema>;
export type NodeLogPart = z.infer<typeof partSchema>;
