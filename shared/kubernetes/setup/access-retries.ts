import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import { ApiForbiddenError, ApiUnauthorizedError, ApiUnreachableError } from '../client/api-errors.ts';
import { toApiError } from '../client/api-responses.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';

export interface RetryTiming {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/**
 * A new access entry reaches all API servers within seconds, sometimes only after most of a minute.
 */
const MAX_RETRY_MS = 90 * SECOND_MS;
const RETRY_EVERY_MS = 3 * SECOND_MS;

/**
 * Retries requests that fail with missing rights, an unknown identity or no answer, for 90 s in
 * total. The cluster may not know a new access entry yet, or may be replacing an API server.
 */
export function withAccessRetries(api: KubernetesApi, { clock, sleep }: RetryTiming): KubernetesApi {
  const until: EpochMs = clock.now() + MAX_RETRY_MS;

  const withRetries =
    <In, Out>(call: (request: In) => Promise<Out>) =>
    async (request: In): Promise<Out> => {
      for (;;) {
        try {
          return await call(request);
        } catch (error) {
          if (!isTemporary(error) || clock.now() + RETRY_EVERY_MS > until) throw error;
          await sleep(RETRY_EVERY_MS);
        }
      }
    };

  return {
    send: withRetries(async (request) => {
      const response = await api.send(request);
      if (response.status >= 500) throw toApiError(request, response);
      return response;
    }),
    read: withRetries(api.read),
    stream: withRetries(api.stream),
  };
}

const isTemporary = (error: unknown): boolean =>
  error instanceof ApiForbiddenError || error instanceof ApiUnauthorizedError || error instanceof ApiUnreachableError;
