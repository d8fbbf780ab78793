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

/** The head of an answer; its text is still to come. */
export interface HttpResponse {
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly text: AsyncIterable<string>;
  /** Ends it, read or unread. */
  close(): void;
}

/** @throws Error - as `node:http` has it: no connection, a connection lost, an abort */
export type HttpTransport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

export interface ApiServerEndpoint {
  readonly url: string;
  /** The cluster's own certificate authority, PEM. */
  readonly certificateAuthority?: string;
  /** Who we are, PEM both; without it a token says so. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** The name that its certificate carries, where that is not the URL's. */
  readonly serverName?: string;
  /** Its certificate is not checked: somebody has asked for that in so many words. */
  readonly insecure?: boolean;
  /** Opens the connections, for example through a proxy; `undefined` for direct connections. */
  readonly agent?: HttpAgent;
}

/**
 * A connection that was idle for longer is not used again: who thaws after minutes would wait for an
 * answer on one that the network has forgotten. It ends no stream, however silent.
 */
const MAX_IDLE_MS = 20_000;
/**
 * A plan of a thousand nodes shows as many NodeClaims at once. Lambda gives a function 1,024 open files,
 * and the API server's patience ends sooner. A dozen are taken by watches.
 */
const MAX_CONNECTIONS = 64;

/**
 * Connections to one API server, kept open between requests.
 *
 * `node:https` and not `fetch`: that one takes a CA from the environment of the process alone.
 */
export function createHttpTransport(server: ApiServerEndpoint): HttpTransport {
  const base = new URL(server.url);
  const isSecure = base.protocol === 'https:';
  if (!isSecure && !isLoopback(base)) {
    throw new TypeError('a token is sent over https alone, or to this machine');
  }
  const tlsOptions = toTlsOptions(server);
  const pooling = { keepAlive: true, timeout: MAX_IDLE_MS };
  const agent =
    server.agent ??
    (isSecure ? new HttpsAgent({ ...pooling, ...tlsOptions }) : new HttpAgent(pooling));
  agent.maxSockets = MAX_CONNECTIONS;
  const start = isSecure ? httpsRequest : httpRequest;

  const send = (
    { method, path, query = {}, headers, body }: HttpRequest,
    options: RequestOptions,
  ): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const target = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base);
      target.search = new URLSearchParams(query).toString();
      // Node frames the body of a DELETE only if it is told its length.
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const request = start(
        target,
        { method, headers: { ...headers, ...length }, ...tlsOptions, ...options },
        (response) => resolve(toHttpResponse(response)),
      );
      request.on('error', (error) => {
        reject(request.reusedSocket && isReset(error) ? new StaleSocketError(error) : error);
      });
      request.end(body);
    });

  return async (request, signal) => {
    try {
      return await send(request, { agent, signal });
    } catch (error) {
      // A function that was frozen wakes up with dead connections: a new one tells the truth.
      if (!(error instanceof StaleSocketError)) throw error;
      return await send(request, { agent: server.agent ?? false, signal });
    }
  };
}

type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'
>;

const toTlsOptions = ({
  certificateAuthority: ca,
  clientCertificate,
  serverName: servername,
  insecure = false,
}: ApiServerEndpoint): TlsOptions => ({
  ...(ca === undefined ? {} : { ca }),
  ...(servername === undefined ? {} : { servername }),
  ...(clientCertificate ?? {}),
  ...(insecure ? { rejectUnauthorized: false } : {}),
});

/** A kept connection that the other side had closed meanwhile. */
class StaleSocketError extends Error {
  override readonly name = 'StaleSocketError';

  constructor(cause: Error) {
    super('the kept connection was closed', { cause });
  }
}

const isReset = (error: Error): boolean =>
  'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

function toHttpResponse(message: IncomingMessage): HttpResponse {
  const seconds = Number(message.headers['retry-after']);
  return {
    status: message.statusCode ?? 0,
    ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
    text: readText(message),
    close: () => message.destroy(),
  };
}

async function* readText(message: IncomingMessage): AsyncIterable<string> {
  const isGzipped = message.headers['content-encoding'] === 'gzip';
  const decoded = isGzipped ? message.pipe(createGunzip()) : message;
  // `pipe` does not pass errors on: a lost connection would wait for ever.
  message.on('error', (error) => decoded.destroy(error));
  decoded.setEncoding('utf8');
  for await (const chunk of decoded) yield String(chunk);
}
