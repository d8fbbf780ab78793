import { createHash, createHmac } from 'node:crypto';
import { type EpochMs, formatInstant } from '../../model/time.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Absent: they last. */
  readonly expiresAt?: EpochMs;
}

export interface PresignedRequest {
  readonly host: string;
  readonly query: Readonly<Record<string, string>>;
  /** Signed beside the host, lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly region: string;
  readonly expiresInSeconds: number;
}

/**
 * A GET of the root path whose signature stands in the query, made without a word to AWS.
 *
 * @see AWS, Signature Version 4, "Authenticating requests: using query parameters"
 */
export function presignedUrl(
  request: PresignedRequest,
  credentials: AwsCredentials,
  now: EpochMs,
): string {
  const { host, service, region, expiresInSeconds } = request;
  const time = formatInstant(now).replaceAll(/[-:]/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const headers = inOrder({ ...request.headers, host });
  const signedHeaders = headers.map(([name]) => name).join(';');
  const query = canonicalQuery({
    ...request.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': `${expiresInSeconds}`,
    'X-Amz-SignedHeaders': signedHeaders,
    ...(credentials.sessionToken ? { 'X-Amz-Security-Token': credentials.sessionToken } : {}),
  });
  const canonical = [
    'GET',
    '/',
    query,
    ...headers.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    signedHeaders,
    sha256(''),
  ].join('\n');
  const key = [...scope.split('/')].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join('\n'));
  return `https://${host}/?${query}&X-Amz-Signature=${signature.toString('hex')}`;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

const inOrder = (fields: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));

const canonicalQuery = (query: Readonly<Record<string, string>>): string =>
  inOrder(query)
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join('&');

/** Stricter than `encodeURIComponent`, which leaves `!'()*` as they are. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
