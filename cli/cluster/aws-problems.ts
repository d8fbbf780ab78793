import { type CliError, fail } from '../errors.ts';

interface AwsCallOptions<A> {
  /** Maps an error that is an expected answer; returns undefined for any other error. */
  readonly answer?: (error: Error) => A | undefined;
}

/**
 * Calls AWS and turns its errors into errors of the command.
 *
 * @throws CliError - `credentials-missing`, `credentials-expired`, `forbidden`, `aws-unreachable`,
 *   `missing-region`
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

export const isNamed = (error: Error, ...names: readonly string[]): boolean =>
  names.includes(error.name);

/** Returns undefined for an error that the user cannot resolve. */
function toAwsProblem(where: string, error: Error): CliError | undefined {
  const why = error.message.split('\n')[0] ?? '';
  const options = { cause: error };
  if (error.message.startsWith('Region is missing')) {
    const fix = '--region NAME, or AWS_REGION';
    const reason = 'instance types, prices and stacks are those of a region';
    return fail(
      { code: 'missing-region', what: 'no AWS region', where, why: reason, fix },
      options,
    );
  }
  if (isNamed(error, 'CredentialsProviderError')) {
    const fix = 'aws configure, or --profile NAME';
    return fail(
      { code: 'credentials-missing', what: 'no AWS credentials', where, why, fix },
      options,
    );
  }
  if (isNamed(error, ...EXPIRED_CREDENTIALS)) {
    const fix = 'sign in again: aws sso login';
    return fail(
      { code: 'credentials-expired', what: 'AWS does not take the credentials', where, why, fix },
      options,
    );
  }
  if (isNamed(error, 'AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation')) {
    return fail({ code: 'forbidden', what: 'AWS does not allow it', where, why }, options);
  }
  if (isNetworkError(error)) {
    const fix = 'check the network and the region';
    return fail({ code: 'aws-unreachable', what: 'AWS does not answer', where, why, fix }, options);
  }
  return undefined;
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
