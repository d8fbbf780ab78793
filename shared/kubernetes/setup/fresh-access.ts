import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import { refusalOf } from '../client/api-responses.ts';
import { ApiForbiddenError, ApiUnauthorizedError, ApiUnreachableError } from '../client/api-errors.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';

export interface Patience {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Access entries take seconds to be known to all API servers, at times most of a minute. */
const MOST_PATIENCE_MS = 90 * SECOND_MS;
const TRY_EVERY_MS = 3 * SECOND_MS;

/**
 * The API of a cluster that may not know us yet, or has just lost one of its servers: refusals of our
 * identity or rights, and no answer at all, are met with patience, 90 s in all.
 */
export function withFreshAccess(api: KubernetesApi, { clock, sleep }: Patience): KubernetesApi {
  const until: EpochMs = clock.now() + MOST_PATIENCE_MS;

  const patiently =
    <In, Out>(call: (request: In) => Promise<Out>) =>
    async (request: In): Promise<Out> => {
      for (;;) {
        try {
          return await call(request);
        } catch (error) {
          if (!mayPass(error) || clock.now() + TRY_EVERY_MS > until) throw error;
          await sleep(TRY_EVERY_MS);
        }
      }
    };

  return {
    ask: patiently(async (request) => {
      const answer = await api.ask(request);
      if (answer.status >= 500) throw refusalOf(request, answer);
      return answer;
    }),
    read: patiently(api.read),
    stream: patiently(api.stream),
  };
}

const mayPass = (error: unknown): boolean =>
  error instanceof ApiForbiddenError ||
  error instanceof ApiUnauthorizedError ||
  error instanceof ApiUnreachableError;
