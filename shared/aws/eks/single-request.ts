import { SECOND_MS } from '../../model/time.ts';
import { type AwsCredentials, fetchSigned } from '../signed-request.ts';

/** The sweep waits for the answers. */
const TIMEOUT_MS = 4 * SECOND_MS;
const RETRIES = 1;
const FIRST_RETRY_AFTER_MS = 50;

export const toEndpoint = (service: string, region: string): string =>
  `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

/** Signs a GET request itself, because the SDK's client is larger than all other code of the function. */
export const getSigned = async (
  url: string,
  scope: { readonly service: string; readonly region: string },
  credentials: () => Promise<AwsCredentials>,
): Promise<Response> =>
  fetchSigned({ method: 'GET', url }, scope, await credentials(), {
    retries: RETRIES,
    firstDelayMs: FIRST_RETRY_AFTER_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
