import * as z from 'zod';

const cloudFormationSchema = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
});

/** A CloudFormation request, with the URL that its answer goes to. */
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

/** A command of the schedule, the sweep or an operator. */
export type SetupCommand = z.output<typeof commandSchema>;

export type SetupRequest =
  | { readonly from: 'cloudformation'; readonly request: CloudFormationRequest }
  | { readonly from: 'command'; readonly command: SetupCommand };

/**
 * @throws ZodError - an unknown request; the error names the fields, not their content
 */
export function parseRequest(event: unknown): SetupRequest {
  const request = cloudFormationSchema.safeParse(event);
  if (request.success) return { from: 'cloudformation', request: request.data };
  return { from: 'command', command: commandSchema.parse(event) };
}
