import type { AwsRequest } from '../requests/request.ts';
import { readParameters } from './parameters.ts';
import { findRoute } from './routes.ts';

/** An HTTP request, as far as it names the operation and its input. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** The access key and the service that a Signature Version 4 header names. */
interface Signature {
  readonly accessKeyId: string;
  readonly service: string;
  readonly region: string;
}

/** @see docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html */
function readSignature(authorization: string | undefined): Signature | undefined {
  const [, accessKeyId, region, service] =
    /Credential=([^/,\s]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/.exec(authorization ?? '') ?? [];
  if (accessKeyId === undefined || region === undefined || service === undefined) return undefined;
  return { accessKeyId, region, service };
}

/**
 * Reads which operation a signed request is for, whatever the protocol of the service.
 *
 * @returns undefined if the request has no signature
 * @throws Error - the operation cannot be read
 */
export function decodeRequest(request: WireRequest): AwsRequest | undefined {
  const service = readSignature(request.headers.authorization)?.service;
  return service === undefined ? undefined : { service, ...decodeOperation(service, request) };
}

function decodeOperation(service: string, request: WireRequest): Omit<AwsRequest, 'service'> {
  const target = request.headers['x-amz-target'];
  if (target !== undefined) {
    const input: unknown = request.body === '' ? {} : JSON.parse(request.body);
    return { operation: target.split('.').at(-1) ?? '', input };
  }
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  if (isForm) return readParameters(new URLSearchParams(request.body));

  const { pathname, searchParams } = new URL(request.url, 'http://aws');
  return findRoute(service, request.method, pathname, searchParams, request.body);
}
