import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { createGunzip } from 'node:zlib';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Status and headers of a response; the text is read from `text`. */
export interface HttpResponse {
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly text: AsyncIterable<string>;
  /** Closes the response, read or unread. */
  close(): void;
}

/**
 * @throws Error - from `node:http`: no connection, a lost connection or an abort
 */
export type HttpTransport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

export interface ApiServerEndpoint {
  readonly url: string;
  /** The cluster's own certificate authority, PEM; `undefined` for the system's authorities. */
  readonly certificateAuthority?: string;
  /** The client certificate, both parts PEM; `undefined` if a token identifies the client. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** The name in the server's certificate, if it differs from the URL's host. */
  readonly serverName?: string;
  /**
   * Skips the verification of the server's certificate; only for callers that explicitly allow it.
   */
  readonly insecure?: boolean;
  /** Opens the connections, for example through a proxy; `undefined` for direct connections. */
  readonly agent?: HttpAgent;
}

/**
 * TCP asks the other end after this silence, and then each second. After ten questions without an answer
 * (20 s in all) the connection fails, and with it the watch that it serves.
 *
 * @see Node.js, `socket.setKeepAlive`: TCP_KEEPCNT=10, TCP_KEEPINTVL=1
 */
const KEEP_ALIVE_MS = 10_000;
/**
 * A connection that was idle for longer is not reused: a thawed Lambda must not wait on a
 * connection that the NAT has dropped. Streams are not affected.
 */
const MAX_IDLE_MS = 20_000;
/**
 * A plan of a thousand nodes creates as many NodeClaims at once. Lambda limits a function to 1,024
 * open files, and the API server throttles much earlier. About a dozen connections are used by
 * watches.
 */
const MAX_CONNECTIONS = 64;

/**
 * Keeps connections to one API server open between requests.
 *
 * `fetch` is not used because it takes certificate authorities only from the environment of the
 * process.
 */
export function createHttpTransport(server: ApiServerEndpoint): HttpTransport {
  const base = new URL(server.url);
  const isSecure = base.protocol === 'https:';
  if (!isSecure && !isLoopback(base)) {
    throw new TypeError('a token is sent over https alone, or to this machine');
  }
  const tlsOptions = toTlsOptions(server);
  const pooling = { keepAlive: true, timeout: MAX_IDLE_MS };
  const agent = server.agent ?? (isSecure ? new HttpsAgent({ ...pooling, ...tlsOptions }) : new HttpAgent(pooling));
  agent.maxSockets = MAX_CONNECTIONS;
  const start = isSecure ? httpsRequest : httpRequest;

  const send = (
    { method, path, query = {}, headers, body }: HttpRequest,
    options: RequestOptions,
  ): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const target = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base);
      target.search = new URLSearchParams(query).toString();
      // Node sends the body of a DELETE only if it knows the length.
      const request = start(
        target,
        {
          method,
          headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
          ...tlsOptions,
          ...options,
        },
        (response) => resolve(toHttpResponse(response)),
      );
      // A stream may be silent for minutes; nothing else tells a half-open connection from it.
      request.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
      request.on('error', (error) => {
        reject(request.reusedSocket && isReset(error) ? new StaleSocketError(error) : error);
      });
      request.end(body);
    });

  return async (request, signal) => {
    try {
      return await send(request, { agent, signal });
    } catch (error) {
      // After a freeze the pooled connections are dead, so the second attempt opens a new one.
      if (!(error instanceof StaleSocketError)) throw error;
      return await send(request, { agent: server.agent ?? false, signal });
    }
  };
}

type TlsOptions = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;

const toTlsOptions = ({
  certificateAuthority: ca,
  clientCertificate,
  serverName: servername,
  insecure = false,
}: ApiServerEndpoint): TlsOptions => ({
  ...(ca !== undefined && { ca }),
  ...(servername !== undefined && { servername }),
  ...(clientCertificate ?? {}),
  ...(insecure && { rejectUnauthorized: false }),
});

/** A pooled connection that the server had already closed. */
class StaleSocketError extends Error {
  override readonly name = 'StaleSocketError';

  constructor(cause: Error) {
    super('the kept connection was closed', { cause });
  }
}

const isReset = (error: Error): boolean => 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

function toHttpResponse(message: IncomingMessage): HttpResponse {
  const seconds = Number(message.headers['retry-after']);
  return {
    status: message.statusCode ?? 0,
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
    text: readText(message),
    close: () => message.destroy(),
  };
}

async function* readText(message: IncomingMessage): AsyncIterable<string> {
  const isGzipped = message.headers['content-encoding'] === 'gzip';
  const decoded = isGzipped ? message.pipe(createGunzip()) : message;
  // `pipe` does not forward errors: without this, a lost connection would hang the reader.
  message.on('error', (error) => decoded.destroy(error));
  decoded.setEncoding('utf8');
  for await (const chunk of decoded) yield String(chunk);
}
