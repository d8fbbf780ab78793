import * as z from 'zod';
import {
  type CloudFormationRequest,
  readCloudFormationRequest,
} from '../support/cloud-formation/cloud-formation-request.ts';

const repairSchema = z.object({ action: z.literal('repair') });

export type SetupRequest =
  | { readonly from: 'cloudformation'; readonly request: CloudFormationRequest }
  | { readonly from: 'schedule' };

/**
 * @param stackId - of our own stack; events of another stack are refused
 * @throws ZodError - an unknown request; the error names the fields, not their content
 * @throws ForeignStackError
 */
export function parseRequest(event: unknown, stackId: string | undefined): SetupRequest {
  const request = readCloudFormationRequest(event, stackId);
  if (request) return { from: 'cloudformation', request };
  repairSchema.parse(event);
  return { from: 'schedule' };
}
