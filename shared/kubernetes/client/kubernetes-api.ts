import { type ApiAction, ApiThrottledError, ApiUnauthorizedError, ApiUnreachableError } from './api-errors.ts';
import {
  findBudgetCause,
  isMissingRight,
  parseBody,
  readAllText,
  readStatus,
  splitLines,
  toApiError,
} from './api-responses.ts';
import type { HttpRequest, HttpResponse, HttpTransport } from './http-transport.ts';

export interface ApiRequest extends ApiAction {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `undefined` means `application/json`. */
  readonly contentType?: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The bearer token of each request. An empty token is not sent: a client certificate identifies us
 * then.
 */
export interface TokenSource {
  token(): Promise<string>;
  /** The API server refused the last token: the next one must be new. */
  renew(): void;
}

/**
 * JSON requests to one API server.
 *
 * Every method throws ApiUnreachableError, ApiThrottledError, ApiUnauthorizedError,
 * ApiForbiddenError and ApiMalformedAnswerError.
 */
export interface KubernetesApi {
  /**
   * Returns also refusals that the caller can handle, such as 404, 409, 500, and a 403 that is no
   * missing right.
   */
  send(request: ApiRequest): Promise<ApiResponse>;
  /**
   * Returns the body of a success.
   *
   * @throws ApiExpiredError - 410
   * @throws KindNotServedError - its CRD is missing
   * @throws ApiRefusedError - any other refusal
   */
  read(request: ApiRequest): Promise<unknown>;
  /**
   * Opens a stream of lines, such as a watch. It ends with the server's stream and throws if the
   * connection is lost.
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
  readonly transport: HttpTransport;
  readonly tokens: TokenSource;
  /** Names us in audit logs and in the metrics of the API server. */
  readonly userAgent: string;
  /** For a whole response; for a stream, until its first byte. */
  readonly timeoutMs?: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** The field manager of all writes that do not name another one. */
const FIELD_MANAGER = 'mortise';

/** @param component - the function or command that sends the requests */
export const formatUserAgent = (version: string, component: string): string => `mortise/${version} (${component})`;

const TIMEOUT_MS = 20_000;
const MAX_THROTTLES = 3;
/** A longer wait is left to the caller: a function pays for every second that it sleeps. */
const MAX_WAIT_MS = 5_000;
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
  userAgent,
  timeoutMs = TIMEOUT_MS,
  sleep = sleepFor,
}: KubernetesApiOptions): KubernetesApi {
  /**
   * Sends the request and retries a 401 once with a new token: a token may be revoked before it
   * expires.
   */
  async function sendAuthenticated(request: ApiRequest, signal: AbortSignal): Promise<HttpResponse> {
    for (let refusals = 0; refusals < 2; refusals += 1) {
      const token = await tokens.token();
      const response = await orUnreachable(request, () =>
        transport(httpRequest(request, { token, userAgent }), signal),
      );
      if (response.status !== 401) return response;
      response.close();
      tokens.renew();
    }
    throw new ApiUnauthorizedError(request);
  }

  async function sendOnce(request: ApiRequest): Promise<ApiResponse & { retryAfterMs: number }> {
    const { text, status, retryAfterMs } = await sendAuthenticated(request, AbortSignal.timeout(timeoutMs));
    const body = parseBody(request, status, await orUnreachable(request, () => readAllText(text)));
    if (isMissingRight({ status, body })) {
      throw toApiError(request, { status, body });
    }
    return { status, body, retryAfterMs: retryAfterMs ?? DEFAULT_WAIT_MS };
  }

  async function send(request: ApiRequest): Promise<ApiResponse> {
    for (let throttles = 1; ; throttles += 1) {
      const { status, body, retryAfterMs } = await sendOnce(request);
      const isThrottled = status === 429 && findBudgetCause(readStatus(body)) === undefined;
      if (!isThrottled) return { status, body };
      await waitForThrottle(request, throttles, retryAfterMs);
    }
  }

  /** A freshly started API server throttles every watch until it has filled its own cache. */
  async function waitForThrottle(request: ApiRequest, throttles: number, retryAfterMs: number): Promise<void> {
    if (throttles >= MAX_THROTTLES || retryAfterMs > MAX_WAIT_MS) {
      throw new ApiThrottledError(request, retryAfterMs);
    }
    await sleep(retryAfterMs);
  }

  /**
   * @returns the stream, or the body of a refusal
   */
  async function openStream(request: ApiRequest): Promise<LineStream | RefusedStream> {
    const start = new AbortController();
    const timer = setTimeout(() => start.abort(), timeoutMs);
    try {
      const response = await sendAuthenticated(request, start.signal);
      const { status, text, close, retryAfterMs = DEFAULT_WAIT_MS } = response;
      if (isSuccess(response)) return { lines: splitLines(text), close };
      const body = await orUnreachable(request, () => readAllText(text));
      return { status, body: parseBody(request, status, body), retryAfterMs };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    send,
    async read(request) {
      const response = await send(request);
      if (!isSuccess(response)) throw toApiError(request, response);
      return response.body;
    },
    async stream(request) {
      for (let throttles = 1; ; throttles += 1) {
        const opened = await openStream(request);
        if ('lines' in opened) return opened;
        if (opened.status !== 429) throw toApiError(request, opened);
        await waitForThrottle(request, throttles, opened.retryAfterMs);
      }
    },
  };
}

interface RefusedStream extends ApiResponse {
  readonly retryAfterMs: number;
}

export const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

const httpRequest = (
  request: ApiRequest,
  { token, userAgent }: { readonly token: string; readonly userAgent: string },
): HttpRequest => {
  const { verb, path, body, contentType = 'application/json' } = request;
  const query =
    verb === 'create' || verb === 'patch' ? { fieldManager: FIELD_MANAGER, ...request.query } : request.query;
  return {
    method: METHODS[verb],
    path,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      'user-agent': userAgent,
      accept: 'application/json',
      // Compression would hold back single lines of a watch.
      ...(verb !== 'watch' && { 'accept-encoding': 'gzip' }),
      ...(body !== undefined && { 'content-type': contentType }),
    },
    ...(query && { query }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
};

/** Turns every failure of the exchange into ApiUnreachableError. */
async function orUnreachable<T>(action: ApiAction, exchange: () => Promise<T>): Promise<T> {
  try {
    return await exchange();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new ApiUnreachableError(action, { why, cause });
  }
}
