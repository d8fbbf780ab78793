import { createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ApiExpiredError,
  ApiForbiddenError,
  ApiMalformedAnswerError,
  ApiRefusedError,
  ApiThrottledError,
  ApiUnauthorizedError,
  ApiUnreachableError,
  KindNotServedError,
} from '../../../shared/kubernetes/client/api-errors.ts';
import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import { MISSING_RIGHT, refusal } from '../support/answers.ts';
import { type ApiDouble, type Fault, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, COLLECTIONS } from '../support/live-objects.ts';

let double: ApiDouble;
beforeEach(async () => {
  double = await startApiDouble();
});
afterEach(async () => double.close());

const request = { verb: 'list', resource: 'nodes', path: '/api/v1/nodes' } as const;
const throttled = (seconds: string): Fault => ({
  ...refusal(429, 'TooManyRequests', 'too many requests'),
  headers: { 'retry-after': seconds },
});

describe('a response that is not a success', () => {
  it.each<[string, Fault, new (...args: never[]) => Error, boolean]>([
    ['500', refusal(500, 'InternalError', 'etcd is slow'), ApiUnreachableError, true],
    ['503 of a proxy', { status: 503, text: '<html>' }, ApiUnreachableError, true],
    ['a closed connection', 'cut', ApiUnreachableError, true],
    ['403', MISSING_RIGHT, ApiForbiddenError, false],
    [
      '403 of an admission plugin',
      refusal(403, 'Forbidden', 'nodes "a" is forbidden: exceeded quota: web'),
      ApiRefusedError,
      false,
    ],
    [
      '403 of an escalation',
      refusal(
        403,
        'Forbidden',
        'clusterroles "a" is forbidden: user "x" (groups=["y"]) is attempting to grant RBAC permissions not currently held:',
      ),
      ApiForbiddenError,
      false,
    ],
    ['410', refusal(410, 'Expired', 'too old'), ApiExpiredError, true],
    ['404 of a path', { status: 404, text: '404 page not found' }, KindNotServedError, false],
    ['404 of an object', refusal(404, 'NotFound', 'x not found'), ApiRefusedError, false],
    ['422', refusal(422, 'Invalid', 'spec is immutable'), ApiRefusedError, false],
    ['malformed JSON', { status: 200, text: '{"items": [' }, ApiMalformedAnswerError, true],
  ])('leads to one error class per cause: %s', async (_, fault, errorClass, isRetriable) => {
    double.fail('/nodes', fault);

    const reading = connect(double).api.read(request);

    await expect(reading).rejects.toThrow(errorClass);
    await expect(reading).rejects.toMatchObject({ isRetriable });
  });

  it('means unreachable if no answer arrives in time', async () => {
    double.fail('/nodes', 'silence');

    const reading = connect(double, { timeoutMs: 50 }).api.read(request);

    await expect(reading).rejects.toThrow(ApiUnreachableError);
  });

  it('means unreachable if the text stops half-way', async () => {
    const { url, close } = await aServerThatStopsHalfWay();

    const reading = connect({ url }, { timeoutMs: 50 }).api.read(request);

    await expect(reading).rejects.toThrow(ApiUnreachableError);
    close();
  });

  it('names verb and resource of a missing right', async () => {
    double.fail('/nodes', MISSING_RIGHT);

    await expect(connect(double).api.read(request)).rejects.toMatchObject({
      message:
        'list nodes: not allowed: nodes is forbidden: User "x" cannot list resource "nodes" in API group "" at the cluster scope',
      action: { verb: 'list', resource: 'nodes' },
    });
  });
});

describe('a request', () => {
  it('names its sender, and each write a field manager', async () => {
    const { api } = connect(double);
    const write = { ...request, body: {} };
    double.fail('/nodes', { status: 200, body: {} }, 5);
    await api.send(request);
    await api.send({ ...write, verb: 'create' });
    await api.send({ ...write, verb: 'patch', query: { force: 'true' } });
    await api.send({ ...write, verb: 'patch', query: { fieldManager: 'mortise-setup' } });
    await api.send({ ...write, verb: 'delete' });

    expect(double.requests.map(({ userAgent }) => userAgent)).toEqual(
      Array.from({ length: 5 }, () => 'mortise/0.0.0 (test)'),
    );
    expect(double.requests.map(({ query }) => query.get('fieldManager'))).toEqual([
      null,
      'mortise',
      'mortise',
      'mortise-setup',
      null,
    ]);
  });
});

describe('a token', () => {
  it('is renewed once after a 401', async () => {
    double.fail('/nodes', refusal(401, 'Unauthorized', 'Unauthorized'));

    await connect(double).api.read(request);

    expect(double.requests.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
  });

  it('leads to an error if it is refused twice', async () => {
    double.fail('/nodes', refusal(401, 'Unauthorized', 'Unauthorized'), 3);

    await expect(connect(double).api.read(request)).rejects.toThrow(ApiUnauthorizedError);

    expect(double.requests).toHaveLength(2);
  });

  it('passes on the error if it cannot be created', async () => {
    const broken = new Error('no credentials');
    const tokens = { token: () => Promise.reject(broken), renew: () => {} };

    await expect(connect(double, { tokens }).api.read(request)).rejects.toBe(broken);
  });

  it.each<[string, Fault]>([
    ['401', refusal(401, 'Unauthorized', 'Unauthorized')],
    ['a closed connection', 'cut'],
    ['malformed JSON', { status: 200, text: 'nonsense' }],
  ])('never appears in an error: %s', async (_, fault) => {
    double.fail('/nodes', fault, 2);

    const error: unknown = await connect(double)
      .api.read(request)
      .catch((thrown: unknown) => thrown);

    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('token-');
  });

  it.each([
    ['http://cluster.example.com', false],
    ['http://127.example.com', false],
    ['http://127.0.0.1:8001', true],
    ['http://[::1]:8001', true],
    ['https://cluster.example.com', true],
  ])('is sent without encryption to this machine only: %s', (url, isSent) => {
    const connecting = expect(() => createHttpTransport({ url }));

    if (isSent) connecting.not.toThrow();
    else connecting.toThrow(TypeError);
  });
});

describe('throttling', () => {
  it('waits as long as the server requests', async () => {
    double.fail('/nodes', throttled('2'));
    const { api, waits } = connect(double);

    await api.read(request);

    expect(waits).toEqual([2000]);
  });

  it('is passed to the caller after the third time', async () => {
    double.fail('/nodes', throttled('1'), 3);
    const { api, waits } = connect(double);

    await expect(api.read(request)).rejects.toMatchObject({ retryAfterMs: 1000 });
    expect(waits).toEqual([1000, 1000]);
  });

  it('is passed to the caller at once if the wait is long', async () => {
    double.fail('/nodes', throttled('30'));
    const { api, waits } = connect(double);

    await expect(api.read(request)).rejects.toThrow(ApiThrottledError);
    expect(waits).toEqual([]);
  });
});

describe('a stream', () => {
  const watch = { verb: 'watch', resource: 'nodes', path: '/api/v1/nodes' } as const;
  const query = { watch: '1', resourceVersion: '100' };

  it('waits for a server that has just started', async () => {
    const { api, waits } = connect(double);
    double.fail('/nodes', throttled('1'), 2);

    const { close } = await api.stream({ ...watch, query });

    expect(waits).toEqual([1000, 1000]);
    close();
  });

  it('passes throttling to the caller after the third time', async () => {
    double.fail('/nodes', throttled('1'), 3);

    await expect(connect(double).api.stream({ ...watch, query })).rejects.toThrow(ApiThrottledError);
  });

  it('yields complete lines', async () => {
    const { api } = connect(double);
    double.put(COLLECTIONS.nodes, aLiveNode());
    const { lines, close } = await api.stream({ ...watch, query });

    for await (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ type: 'ADDED', object: { kind: 'Node' } });
      break;
    }
    close();
  });

  it.each<[string, Fault, new (...args: never[]) => Error]>([
    ['410', refusal(410, 'Expired', 'too old'), ApiExpiredError],
    ['403', MISSING_RIGHT, ApiForbiddenError],
    ['404', { status: 404, text: '404 page not found' }, KindNotServedError],
    ['429', throttled('30'), ApiThrottledError],
    ['a closed connection', 'cut', ApiUnreachableError],
    ['silence', 'silence', ApiUnreachableError],
  ])('fails with the same error classes if it cannot be opened: %s', async (_, fault, errorClass) => {
    double.fail('/nodes', fault);
    const { api } = connect(double, { timeoutMs: 50 });

    await expect(api.stream({ ...watch, query })).rejects.toThrow(errorClass);
  });
});

describe('a connection', () => {
  it('is replaced if the server closed it while idle', async () => {
    const server = await aServerThatAnswersOncePerConnection();
    const { api } = connect(server);

    await api.read(request);
    await expect(api.read(request)).resolves.toEqual({ items: [] });

    server.close();
  });

  it('is one of at most 64, however many requests run at once', async () => {
    let opened = 0;
    const server = await aServer((socket, count) => {
      if (count === 1) opened += 1;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    });
    const { api } = connect(server);

    await Promise.all(Array.from({ length: 300 }, () => api.read(request)));

    expect(opened).toBeLessThanOrEqual(64);
    server.close();
  });

  it('decompresses gzip', async () => {
    const server = await aServer((socket) => {
      const body = gzipSync(JSON.stringify({ items: ['packed'] }));
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });

    await expect(connect(server).api.read(request)).resolves.toEqual({ items: ['packed'] });

    server.close();
  });
});

interface RawServer {
  readonly url: string;
  close(): void;
}

/**
 * @param answer - called for each request with the number of requests on the connection
 */
async function aServer(answer: (socket: Socket, count: number) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let count = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => {
      count += 1;
      answer(socket, count);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const aServerThatStopsHalfWay = (): Promise<RawServer> =>
  aServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"items":'));

const aServerThatAnswersOncePerConnection = (): Promise<RawServer> =>
  aServer((socket, count) => {
    if (count > 1) socket.destroy();
    else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{"items":[]}');
  });
