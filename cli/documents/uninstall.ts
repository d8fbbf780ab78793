import * as z from 'zod';

const stepSchema = z.object({
  step: z.enum(['hooks', 'decisions', 'nodes', 'taints', 'finalizers', 'profiles', 'crds']),
  /** `planned` in a dry run; `left` if it was not requested or is not ours. */
  outcome: z.enum(['planned', 'done', 'unfinished', 'left']),
  detail: z.string(),
});

const remainderSchema = z.object({ kind: z.string(), name: z.string(), why: z.string() });

export const uninstallSchema = z.object({
  cluster: z.string(),
  nodes: z.enum(['drain', 'hand-over']),
  act: z.boolean(),
  steps: z.array(stepSchema),
  /** Resources that still exist. */
  remaining: z.array(remainderSchema),
});

export type UninstallReport = z.infer<typeof uninstallSchema>;
export type UninstallStep = z.infer<typeof stepSchema>;
export type Remainder = z.infer<typeof remainderSchema>;
