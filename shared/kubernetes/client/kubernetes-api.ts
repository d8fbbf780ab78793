import {
  type ApiAction,
  ApiThrottledError,
  ApiUnauthorizedError,
  ApiUnreachableError,
} from './api-errors.ts';
import {
  budgetCause,
  isNamespaceTerminating,
  linesOf,
  parseBody,
  readStatus,
  refusalOf,
  wholeText,
} from './api-responses.ts';
import type { HttpAnswer, HttpRequest, Transport } from './http-transport.ts';

export interface ApiRequest extends ApiAction {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `application/json` when absent. */
  readonly contentType?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The bearer token that says who we are; an empty one is not sent: a certificate says so. */
export interface TokenSource {
  token(): Promise<string>;
  /** The last one was refused: the next one must be new. */
  renew(): void;
}

/**
 * One API server, spoken to in JSON.
 *
 * Every method throws ApiUnreachableError, ApiThrottledError, ApiUnauthorizedError,
 * ApiForbiddenError and ApiMalformedAnswerError, whatever was asked.
 */
export interface KubernetesApi {
  /** Hands back what the caller may have an answer to: 404, 409, 500 and their like. */
  ask(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * The body of a success.
   *
   * @throws ApiExpiredError - 410
   * @throws KindNotServedError - its CRD is missing
   * @throws ApiRefusedError - any other refusal
   */
  read(request: ApiRequest): Promise<unknown>;
  /**
   * A success whose lines come one by one; ends with the server's, or throws as the connection does.
   *
   * @throws ApiExpiredError - 410
   */
  stream(request: ApiRequest): Promise<LineStream>;
}

export interface LineStream {
  readonly lines: AsyncIterable<string>;
  close(): void;
}

export interface KubernetesApiOptions {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  /** For one answer as a whole; for a stream, until it begins. */
  readonly timeoutMs?: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

const TIMEOUT_MS = 20_000;
const MOST_THROTTLES = 3;
/** A longer wait is the caller's: a function pays for every second that it sleeps. */
const LONGEST_WAIT_MS = 5_000;
const DEFAULT_WAIT_MS = 1_000;

const sleepFor = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const METHODS = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
} as const;

export function createKubernetesApi({
  transport,
  tokens,
  timeoutMs = TIMEOUT_MS,
  sleep = sleepFor,
}: KubernetesApiOptions): KubernetesApi {
  /** The head of an answer to somebody the server knows: a token may end before its time. */
  async function send(request: ApiRequest, signal: AbortSignal): Promise<HttpAnswer> {
    for (let refusals = 0; refusals < 2; refusals += 1) {
      const token = await tokens.token();
      const answer = await reaching(request, () => transport(httpRequest(request, token), signal));
      if (answer.status !== 401) return answer;
      answer.close();
      tokens.renew();
    }
    throw new ApiUnauthorizedError(request);
  }

  async function askOnce(request: ApiRequest): Promise<ApiAnswer & { retryAfterMs: number }> {
    const { text, status, retryAfterMs } = await send(request, AbortSignal.timeout(timeoutMs));
    const body = parseBody(request, status, await reaching(request, () => wholeText(text)));
    if (status === 403 && !isNamespaceTerminating(readStatus(body))) {
      throw refusalOf(request, { status, body });
    }
    return { status, body, retryAfterMs: retryAfterMs ?? DEFAULT_WAIT_MS };
  }

  async function ask(request: ApiRequest): Promise<ApiAnswer> {
    for (let throttles = 1; ; throttles += 1) {
      const { status, body, retryAfterMs } = await askOnce(request);
      const isThrottled = status === 429 && budgetCause(readStatus(body)) === undefined;
      if (!isThrottled) return { status, body };
      await obeyThrottle(request, throttles, retryAfterMs);
    }
  }

  /** A server that has just started says so of every watch, until it has read what is watched. */
  async function obeyThrottle(
    request: ApiRequest,
    throttles: number,
    retryAfterMs: number,
  ): Promise<void> {
    if (throttles >= MOST_THROTTLES || retryAfterMs > LONGEST_WAIT_MS) {
      throw new ApiThrottledError(request, retryAfterMs);
    }
    await sleep(retryAfterMs);
  }

  /** @returns the stream, or the whole of a refusal: that ends as any answer does */
  async function begin(request: ApiRequest): Promise<LineStream | RefusedStream> {
    const start = new AbortController();
    const timer = setTimeout(() => start.abort(), timeoutMs);
    try {
      const answer = await send(request, start.signal);
      const { status, text, close, retryAfterMs = DEFAULT_WAIT_MS } = answer;
      if (isSuccess(answer)) return { lines: linesOf(text), close };
      const body = await reaching(request, () => wholeText(text));
      return { status, body: parseBody(request, status, body), retryAfterMs };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    ask,
    async read(request) {
      const answer = await ask(request);
      if (!isSuccess(answer)) throw refusalOf(request, answer);
      return answer.body;
    },
    async stream(request) {
      for (let throttles = 1; ; throttles += 1) {
        const begun = await begin(request);
        if ('lines' in begun) return begun;
        if (begun.status !== 429) throw refusalOf(request, begun);
        await obeyThrottle(request, throttles, begun.retryAfterMs);
      }
    },
  };
}

interface RefusedStream extends ApiAnswer {
  readonly retryAfterMs: number;
}

export const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

const httpRequest = (request: ApiRequest, token: string): HttpRequest => {
  const { verb, path, query, body, contentType = 'application/json' } = request;
  return {
    method: METHODS[verb],
    path,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      accept: 'application/json',
      // A watch is read line by line, and packing holds lines back.
      ...(verb === 'watch' ? {} : { 'accept-encoding': 'gzip' }),
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(query ? { query } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
};

/** Whatever goes wrong between us and the server is one kind of trouble. */
async function reaching<T>(action: ApiAction, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new ApiUnreachableError(action, { why, cause });
  }
}
