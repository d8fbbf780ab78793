import * as z from 'zod';

const cloudFormationSchema = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
});

/** What CloudFormation asks for, and where it waits for the answer. */
export type CloudFormationRequest = z.output<typeof cloudFormationSchema>;

const commandSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('keep') }),
  z.object({
    action: z.literal('withdraw-hooks'),
    by: z.enum(['breaker', 'operator']).default('operator'),
    why: z.string().default('an operator asked for it'),
  }),
  z.object({ action: z.literal('restore-hooks') }),
  z.object({ action: z.literal('rotate-token') }),
]);

/** What the schedule, the sweep or an operator asks for. */
export type SetupCommand = z.output<typeof commandSchema>;

export type SetupRequest =
  | { readonly from: 'cloudformation'; readonly request: CloudFormationRequest }
  | { readonly from: 'command'; readonly command: SetupCommand };

/** @throws ZodError - none of what we are asked; it names the fields and not what is in them */
export function parseRequest(event: unknown): SetupRequest {
  const request = cloudFormationSchema.safeParse(event);
  if (request.success) return { from: 'cloudformation', request: request.data };
  return { from: 'command', command: commandSchema.parse(event) };
}
