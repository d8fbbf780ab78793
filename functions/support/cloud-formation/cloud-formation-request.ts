import * as z from 'zod';

const cloudFormationSchema = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url().refine(isAnswerAddress),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
  ResourceProperties: z.record(z.string(), z.unknown()).optional(),
  OldResourceProperties: z.record(z.string(), z.unknown()).optional(),
});

/**
 * The S3 buckets to which CloudFormation has its answers uploaded. The presigned URL is part of the
 * event, and an answer must go nowhere else.
 */
const ANSWER_HOST =
  /^cloudformation-custom-resource-response-[a-z0-9-]+\.s3(?:[.-][a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/;

/** Accepts the local AWS as well, if the environment names one. */
function isAnswerAddress(address: string): boolean {
  const { protocol, hostname, username, port } = new URL(address);
  const { AWS_ENDPOINT_URL: local } = process.env;
  if (local !== undefined && isLocal(hostname) && port === new URL(local).port) return true;
  return protocol === 'https:' && username === '' && port === '' && ANSWER_HOST.test(hostname);
}

const isLocal = (hostname: string): boolean => hostname === 'localhost' || hostname === '127.0.0.1';

/** A CloudFormation request, with the URL that its answer goes to. */
export type CloudFormationRequest = z.output<typeof cloudFormationSchema>;

/** An event of another stack, or a forged one. It is not answered. */
class ForeignStackError extends Error {
  override readonly name = 'ForeignStackError';
}

/**
 * Reads an event of CloudFormation. Returns `undefined` for every other event.
 *
 * @param stackId - of our own stack; events of another stack are refused
 * @throws ForeignStackError
 */
export function readCloudFormationRequest(
  event: unknown,
  stackId: string | undefined,
): CloudFormationRequest | undefined {
  const request = cloudFormationSchema.safeParse(event);
  if (!request.success) return undefined;
  if (request.data.StackId !== stackId) {
    throw new ForeignStackError('the event names another stack than the one of this function');
  }
  return request.data;
}
