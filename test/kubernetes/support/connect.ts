import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import {
  createKubernetesApi,
  formatUserAgent,
  type KubernetesApi,
  type TokenSource,
} from '../../../shared/kubernetes/client/kubernetes-api.ts';
import type { ApiDouble } from './api-double.ts';

export interface Connection {
  readonly api: KubernetesApi;
  /** The waits that the client requested, in milliseconds. */
  readonly waits: number[];
}

/** A client that records waits instead of waiting. */
export function connect(
  { url }: Pick<ApiDouble, 'url'>,
  over: { readonly timeoutMs?: number; readonly tokens?: TokenSource } = {},
): Connection {
  const waits: number[] = [];
  const api = createKubernetesApi({
    userAgent: formatUserAgent('0.0.0', 'test'),
    transport: createHttpTransport({ url }),
    tokens: aTokenSource(),
    sleep: async (ms) => waits.push(ms),
    ...over,
  });
  return { api, waits };
}

/** Returns `token-1`, and the next number after each renewal. */
function aTokenSource(): TokenSource {
  let generation = 1;
  return {
    token: async () => `token-${generation}`,
    renew() {
      generation += 1;
    },
  };
}
