import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';

/** A request or a response with its complete body. */
export interface Exchange {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Request extends Exchange {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
}

export interface Answer extends Exchange {
  readonly status: number;
}

/**
 * @throws Error - as thrown by `node:http`
 */
export type Forward = (request: Request) => Promise<Answer>;

/** Forwards requests unchanged over kept-alive connections. */
export function forwardTo(target: string): Forward {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(target);

  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const options = { agent, hostname, port, method, path, headers };
      const request = send(options, (answer) => {
        readAll(answer).then(
          (read) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: read }),
          reject,
        );
      });
      request.on('error', reject);
      request.end(body);
    });
}

/** Handles requests with complete bodies; responds with 502 if `answer` throws. */
export const respondWith =
  (answer: Forward) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url: path = '/', headers } = message;
    readAll(message)
      .then((body) => answer({ method, path, headers, body }))
      .catch(
        (error: unknown): Answer => ({
          status: 502,
          headers: {},
          body: Buffer.from(String(error)),
        }),
      )
      .then(({ status, headers: sent, body }) => {
        const { 'transfer-encoding': _, ...rest } = sent;
        response.writeHead(status, { ...rest, 'content-length': body.length });
        response.end(body);
      })
      .catch(() => response.destroy());
  };

function readAll(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });
}

export interface Listening {
  readonly port: number;
  end(): Promise<void>;
}

/**
 * @returns after the server listens
 */
export function listen(server: Server, port = 0): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no port'));
      resolve({
        port: address.port,
        end: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}

/** Starts an HTTP server on this machine that answers each request with `answer`. */
export const serve = (answer: Forward, port = 0): Promise<Listening> => listen(createServer(respondWith(answer)), port);
