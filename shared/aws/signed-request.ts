import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { EpochMs } from '../model/time.ts';

/** Credentials in the shape that the SDK's providers return. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The part of a signature's scope that does not change from request to request. */
export interface SigningScope {
  readonly service: string;
  readonly region: string;
}

/** The domain of the region's services. */
export const awsDomain = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

export interface RequestToSign {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How often to repeat a request that AWS throttled (429) or failed to answer (5xx). */
export interface RetryPolicy {
  readonly retries: number;
  /** Upper limit of the random delay before the first retry; it doubles with each retry. */
  readonly firstDelayMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a request with a Signature Version 4 header. Functions that make a single kind of request use
 * it in place of an SDK client, which would be most of what they load at a cold start.
 *
 * @returns the first response that is no 429 or 5xx, or the last response
 * @throws TypeError - the endpoint cannot be reached; DOMException - `signal` ended the request
 */
export async function fetchSigned(
  request: RequestToSign,
  scope: SigningScope,
  credentials: AwsCredentials,
  { retries, firstDelayMs, signal }: RetryPolicy,
): Promise<Response> {
  const { method, url, body } = request;
  for (let attempt = 0; ; attempt += 1) {
    const headers = await signHeaders(request, scope, credentials);
    const response = await fetch(url, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body }),
    });
    const isRetryable = response.status >= 500 || response.status === 429;
    if (!isRetryable || attempt === retries) return response;
    await sleep(Math.random() * firstDelayMs * 2 ** attempt);
  }
}

/**
 * Returns the URL of a GET whose signature is in the query, made without a request to AWS.
 *
 * @see AWS, Signature Version 4, "Authenticating requests: using query parameters"
 */
export async function presignUrl(
  { url, headers = {} }: Pick<RequestToSign, 'url' | 'headers'>,
  scope: SigningScope,
  credentials: AwsCredentials,
  { now, expiresInSeconds }: { readonly now: EpochMs; readonly expiresInSeconds: number },
): Promise<string> {
  const { query = {} } = await createSigner(scope, credentials).presign(
    toHttpRequest({ method: 'GET', url, headers }),
    { signingDate: new Date(now), expiresIn: expiresInSeconds },
  );
  const parameters = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}?${parameters.join('&')}`;
}

async function signHeaders(
  request: RequestToSign,
  scope: SigningScope,
  credentials: AwsCredentials,
): Promise<Record<string, string>> {
  const signed = await createSigner(scope, credentials).sign(toHttpRequest(request));
  // `fetch` sets the same host itself.
  const { host: _, ...headers } = signed.headers;
  return headers;
}

const createSigner = (scope: SigningScope, credentials: AwsCredentials): SignatureV4 =>
  new SignatureV4({ ...scope, credentials, sha256: NodeSha256, applyChecksum: false });

function toHttpRequest({ method, url, headers = {}, body }: RequestToSign) {
  const { protocol, host, hostname, pathname, searchParams } = new URL(url);
  return {
    method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { ...headers, host },
    body,
  };
}

/** The signer's hash interface over node:crypto. */
class NodeSha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toKey(secret));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

const toKey = (secret: string | ArrayBuffer | ArrayBufferView): Buffer | string => {
  if (typeof secret === 'string') return secret;
  return ArrayBuffer.isView(secret)
    ? Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength)
    : Buffer.from(secret);
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
