import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { PortInUseError } from '../../../console/errors.ts';
import { listen } from '../../../console/server/listen.ts';
import { type ConsoleServer, startConsoleServer } from '../../../console/server.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';
import { rawRequest } from '../support/raw-request.ts';
import { readStream } from '../support/read-stream.ts';
import { type StillSource, stillSource } from '../support/still-source.ts';

const open: ConsoleServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function served(still: StillSource = stillSource()) {
  const server = await startConsoleServer({ source: still.source, port: 0 });
  open.push(server);
  const page = await (await fetch(server.url)).text();
  const token = /name="mortise-token" content="([^"]+)"/.exec(page)?.[1] ?? '';
  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'x-mortise-token': token, ...headers },
      body,
    });
  return { ...server, ...still, page, token, post };
}

describe('access to the server', () => {
  it.each([
    ['its own address', '127.0.0.1:PORT', 200],
    ['localhost', 'localhost:PORT', 200],
    ['a name that resolves to loopback', 'evil.example:PORT', 403],
    ['another port', '127.0.0.1:1', 403],
  ])('answers a request for %s with %3$i', async (_, host, status) => {
    const { port } = await served();
    const headers = { host: host.replace('PORT', `${port}`) };
    expect(await rawRequest(port, '/api/state', { headers })).toMatchObject({ status });
  });

  it('refuses a page of another origin, even with the token', async () => {
    const { port, token, played } = await served();
    const answer = await rawRequest(port, '/api/play/clock', {
      method: 'POST',
      headers: { origin: 'http://evil.example', 'x-mortise-token': token },
      body: '{"paused":true}',
    });

    expect(answer.status).toBe(403);
    expect(played).toEqual([]);
  });

  it.each([
    ['no token', ''],
    ['a wrong token of the right length', 'x'.repeat(32)],
  ])('ignores a POST with %s', async (_, token) => {
    const { post, played } = await served();
    const response = await post('/api/play/clock', '{"paused":true}', { 'x-mortise-token': token });

    expect(response.status).toBe(403);
    expect(played).toEqual([]);
  });

  it.each([
    ['HEAD', '/api/state', 405],
    ['PUT', '/api/play/clock', 405],
    ['POST', '/api/state', 404],
    ['GET', '/api/play/clock', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const { port, token, played } = await served();
    const headers = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` };
    const answer = await rawRequest(port, path, {
      method,
      headers: { ...headers, 'x-mortise-token': token },
    });

    expect(answer.status).toBe(status);
    expect(played).toEqual([]);
  });

  it('gives no detail of a failure, and no foreign page may read it', async () => {
    const still = stillSource();
    const cost = () => Promise.reject(new Error('secret'));
    const { url } = await served({ ...still, source: { ...still.source, cost } });
    const answer = await fetch(`${url}/api/cost`);

    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe('The console could not answer.\n');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('allows the page to load from its own server only', async () => {
    const { url } = await served();
    const { headers } = await fetch(url);

    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'self'; style-src 'self' 'nonce-[\w-]{22}'; base-uri 'none'/,
    );
  });

  it('gives each response of the page its own nonce', async () => {
    const { url } = await served();
    const policies = await Promise.all(
      [fetch(url), fetch(url)].map(async (answer) => (await answer).headers.get('content-security-policy')),
    );
    expect(policies[0]).not.toBe(policies[1]);
  });

  it.each(['/../server.ts', '/assets/../../server.ts', '/built', '/%2e%2e/server.ts', '/nothing.js'])(
    'does not serve %s',
    async (path) => {
      const { port } = await served();
      const headers = { host: `127.0.0.1:${port}` };
      expect(await rawRequest(port, path, { headers })).toMatchObject({ status: 404 });
    },
  );
});

describe('a request to the playground', () => {
  it.each([
    ['clock', { paused: true, speed: 'max' }],
    ['scale', { kind: 'Deployment', namespace: 'shop', name: 'web', replicas: 40 }],
    ['interrupt', { node: 'general-1', notice: 'spot-interruption' }],
    ['demo', {}],
    ['step', {}],
    ['drift', { pool: 'general' }],
    ['zone', { zone: 'us-east-1a', forMs: 600_000 }],
    ['spot-prices', { factor: 2 }],
    ['reset', { seed: 7 }],
    ['shortage', { zone: 'us-east-1a', capacityType: 'spot', forMs: 600_000 }],
  ])('for %s is executed', async (action, request) => {
    const { post, played } = await served();
    const response = await post(`/api/play/${action}`, JSON.stringify(request));

    expect(response.status).toBe(200);
    expect(played).toEqual([request]);
  });

  it.each([
    ['not JSON', 'clock', '{', 400],
    ['an unknown field', 'clock', '{"pause":true}', 400],
    ['a speed of 0', 'clock', '{"speed":0}', 400],
    ['fewer than no replicas', 'scale', '{"replicas":-1}', 400],
    ['an unknown action', 'explode', '{}', 404],
    ['too large', 'clock', `"${'x'.repeat(20_000)}"`, 413],
    [
      'a workload that is not there',
      'scale',
      '{"kind":"Deployment","namespace":"shop","name":"nobody","replicas":1}',
      404,
    ],
  ])('with %s is refused with %4$i', async (_, action, body, status) => {
    const { post, played } = await served();

    expect((await post(`/api/play/${action}`, body)).status).toBe(status);
    expect(played).toEqual([]);
  });

  it('has no effect if the source has no playground', async () => {
    const still = stillSource();
    const { play: _, ...readOnly } = still.source;
    const { post } = await served({ ...still, source: readOnly });

    expect((await post('/api/play/clock', '{"paused":true}')).status).toBe(404);
  });
});

describe('explanations', () => {
  it("are found by the pod's namespace and name", async () => {
    const { url } = await served(stillSource(someFacts({ snapshot: { pods: [aPod()] } })));
    const response = await fetch(`${url}/api/explain/pod/default/web-1`);

    expect(await response.json()).toMatchObject({
      subject: { kind: 'pod', name: 'default/web-1' },
      outcome: 'waiting',
    });
  });

  it.each(['pod/default/gone', 'node/gone', 'secret/x', 'pod'])('are not found for %s', async (path) => {
    const { url } = await served();
    expect((await fetch(`${url}/api/explain/${path}`)).status).toBe(404);
  });
});

describe('the stream', () => {
  const withPod = someFacts({ snapshot: { pods: [aPod()] } });

  it('begins with the whole state and continues with changes', async () => {
    const { url, show } = await served();
    const messages = await readStream(url, 2, { onFirst: () => show(withPod) });

    expect(messages).toMatchObject([
      { type: 'state', data: { pods: [] } },
      { type: 'patch', data: { pods: { upserts: [{ key: 'default/web-1' }], removals: [] } } },
    ]);
  });

  it('continues where a page disconnected', async () => {
    const { url, show, tell } = await served();
    const [, patch] = await readStream(url, 2, { onFirst: () => show(withPod) });
    tell({ seq: 1, at: NOON, kind: 'ready', tone: 'good', objects: [], text: 'ready' });

    const missed = await readStream(url, 1, { lastId: patch?.id ?? '' });
    expect(missed).toMatchObject([{ type: 'event', data: { seq: 1 } }]);
  });

  it('sends the whole state to a page from another run', async () => {
    const { url } = await served();
    expect(await readStream(url, 1, { lastId: 'other.7' })).toMatchObject([{ type: 'state' }]);
  });
});

describe('the port', () => {
  it('must be free if it was given', async () => {
    const { port } = await served();
    await expect(startConsoleServer({ source: stillSource().source, port })).rejects.toThrow(new PortInUseError(port));
  });

  it('is the next free one if none was given', async () => {
    const servers = [createServer(), createServer()];
    const ports = [];
    for (const server of servers) ports.push(await listen(server, undefined));

    expect(ports[1]).toBeGreaterThan(ports[0] ?? Infinity);
    for (const server of servers) server.close();
  });
});
