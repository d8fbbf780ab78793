import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import {
  ApiForbiddenError,
  ApiUnauthorizedError,
  ApiUnreachableError,
} from '../client/api-errors.ts';
import { toApiError } from '../client/api-responses.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';

export interface RetryTiming {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Access entries take seconds to be known to all API servers, at times most of a minute. */
const MAX_RETRY_MS = 90 * SECOND_MS;
const RETRY_EVERY_MS = 3 * SECOND_MS;

/**
 * The API of a cluster that may not know us yet, or has just lost one of its servers: refusals of our
 * identity or rights, and no answer at all, are met with patience, 90 s in all.
 */
export function withAccessRetries(
  api: KubernetesApi,
  { clock, sleep }: RetryTiming,
): KubernetesApi {
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
  error instanceof ApiForbiddenError ||
  error instanceof ApiUnauthorizedError ||
  error instanceof ApiUnreachableError;
