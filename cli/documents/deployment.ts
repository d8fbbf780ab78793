import * as z from 'zod';

export const deploymentSchema = z.object({
  cluster: z.string(),
  stack: z.string(),
  action: z.enum(['deploy', 'diff', 'destroy']),
  /** False if the stack is already as the options describe it, or if a removal was not confirmed. */
  changed: z.boolean(),
  /** The stack's outputs by name; of `deploy` only. */
  outputs: z.record(z.string(), z.string()),
  /** The differences as the CDK shows them; of `diff` only. */
  differences: z.string().optional(),
});

export type DeploymentReport = z.infer<typeof deploymentSchema>;
