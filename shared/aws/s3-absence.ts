import { S3ServiceException } from '@aws-sdk/client-s3';

/** S3's answer about a missing object: certain, or one that may mean a denial as well. */
export type Absence = 'absent' | 'absent-or-denied';

/**
 * Reads an error of GetObject or HeadObject. S3 answers 404 for an absent object only to a caller that
 * may list the bucket, which no function may. The others get 403, as for an object that they may not
 * read. The message then names the missing right, except in answers without a body (HeadObject) and to
 * callers of another organization.
 *
 * @returns undefined for all other errors: the denial of another right, such as `kms:Decrypt`, is none
 *   of an absent object
 * @see docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, "Permissions"
 * @see docs.aws.amazon.com/AmazonS3/latest/userguide/troubleshoot-403-errors.html
 */
export function findAbsence(error: unknown): Absence | undefined {
  if (!(error instanceof S3ServiceException)) return undefined;
  const { name, message, $metadata } = error;
  if ($metadata.httpStatusCode === 404) return name === 'NoSuchBucket' ? undefined : 'absent';
  if ($metadata.httpStatusCode !== 403 || CREDENTIALS.has(name)) return undefined;
  const [, right] = /not authorized to perform: ([\w:]+)/.exec(message) ?? [];
  if (right === undefined) return 'absent-or-denied';
  return right === 's3:ListBucket' ? 'absent' : undefined;
}

/** Answers with status 403 that are about the caller. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'RequestTimeTooSkewed',
]);
