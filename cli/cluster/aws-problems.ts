import * as z from 'zod';
import { type CliError, fail } from '../errors.ts';

interface AwsCallOptions<A> {
  /** Maps an error that is an expected answer; returns undefined for any other error. */
  readonly answer?: (error: Error) => A | undefined;
}

/**
 * Calls AWS and turns its errors into errors of the command.
 *
 * @throws CliError - `credentials-missing`, `credentials-expired`, `forbidden`, `aws-unreachable`,
 *   `aws-unreadable`, `missing-region`
 */
export async function callAws<T, A = never>(
  where: string,
  ask: () => Promise<T>,
  { answer = () => undefined }: AwsCallOptions<A> = {},
): Promise<T | A> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const expected = answer(error);
    if (expected !== undefined) return expected;
    throw toAwsProblem(where, error) ?? error;
  }
}

export const isNamed = (error: Error, ...names: readonly string[]): boolean => names.includes(error.name);

/**
 * Finds the answer of AWS behind an error of the controllers, which `callAws` does not wrap. Returns
 * undefined if AWS is not the cause, or the user cannot resolve it.
 */
export function findAwsProblem(error: unknown): CliError | undefined {
  if (!(error instanceof Error)) return undefined;
  return '$metadata' in error ? toAwsProblem('AWS', error) : findAwsProblem(error.cause);
}

/** Returns undefined for an error that the user cannot resolve. */
function toAwsProblem(where: string, error: Error): CliError | undefined {
  const why = error.message.split('\n')[0] ?? '';
  const options = { cause: error };
  if (error.message.startsWith('Region is missing')) {
    const fix = '--region NAME, or AWS_REGION';
    const reason = 'instance types, prices and stacks are those of a region';
    return fail({ code: 'missing-region', what: 'no AWS region', where, why: reason, fix }, options);
  }
  if (isNamed(error, 'CredentialsProviderError')) {
    const fix = 'aws configure, or --profile NAME';
    return fail({ code: 'credentials-missing', what: 'no AWS credentials', where, why, fix }, options);
  }
  if (isNamed(error, ...EXPIRED_CREDENTIALS)) {
    const fix = 'sign in again: aws sso login';
    return fail({ code: 'credentials-expired', what: 'AWS does not take the credentials', where, why, fix }, options);
  }
  if (isNamed(error, 'AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation')) {
    return fail({ code: 'forbidden', what: 'AWS does not allow it', where, why }, options);
  }
  if (isNetworkError(error)) {
    const fix = 'check the network and the region';
    return fail({ code: 'aws-unreachable', what: 'AWS does not answer', where, why, fix }, options);
  }
  return toUnreadable(where, error);
}

/** The response that the SDK attaches to an error. */
const responseSchema = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
});
/** A body that the SDK has not replaced by its text leads to the request. */
const bodySchema = z.object({ req: z.object({ host: z.string() }) });

/** Returns undefined unless something else answered in place of the service, such as a proxy. */
function toUnreadable(where: string, error: Error): CliError | undefined {
  const response = '$response' in error && responseSchema.safeParse(error.$response).data;
  if (!response) return undefined;
  const { statusCode, headers, body } = response;
  const type = headers['content-type'] ?? 'no content type';
  // The SDK adds a fault to the errors of a service, and to pages that it can read as XML.
  if ('$fault' in error && !type.startsWith('text/html')) return undefined;
  const host = bodySchema.safeParse(body).data?.req.host;
  return fail(
    {
      code: 'aws-unreadable',
      what: 'something else answers in place of AWS',
      where: host === undefined ? where : `${where}, ${host}`,
      why: `the answer has status ${statusCode} and is ${type}, not one of the service`,
      fix: 'check the network for a proxy or a sign-in page, and AWS_ENDPOINT_URL if it is set',
    },
    { cause: error },
  );
}

const EXPIRED_CREDENTIALS = [
  'ExpiredToken',
  'ExpiredTokenException',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'TokenProviderError',
];

const NETWORK_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const isNetworkError = (error: Error): boolean =>
  error.name === 'TimeoutError' ||
  ('code' in error && typeof error.code === 'string' && NETWORK_ERRORS.has(error.code));
