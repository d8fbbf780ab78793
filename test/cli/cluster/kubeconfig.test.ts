import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialPluginError } from '../../../cli/cluster/credential-plugin.ts';
import { KubeconfigError, readKubeconfig } from '../../../cli/cluster/kubeconfig.ts';
import { createKubeconfigApi } from '../../../cli/cluster/kubeconfig-access.ts';
import { ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aCertificate, type Identity } from '../../kubernetes/support/certificate.ts';
import { NOON } from '../../support/builders.ts';

const request = { verb: 'list', resource: 'nodes', path: '/api/v1/nodes' } as const;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let folder: string;
let identity: Identity;
let server: Server;
let url: string;
/** The credentials of each request; the fingerprint is empty without a client certificate. */
const callers: { readonly token: string; readonly fingerprint: string }[] = [];
let refusedToken = '';
const NO_CERTIFICATE = { fingerprint: '' };
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  callers.length = 0;
  refusedToken = '';
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  identity = aCertificate();
  const tls = { cert: identity.certificate, key: identity.key, requestCert: true };
  server = createServer({ ...tls, rejectUnauthorized: false }, ({ headers, socket }, response) => {
    const { fingerprint256: fingerprint = '' } = asTls(socket).getPeerCertificate();
    const token = (headers.authorization ?? '').replace('Bearer ', '');
    callers.push({ token, fingerprint });
    if (token !== '' && token === refusedToken) response.statusCode = 401;
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterEach(async () => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function asTls(socket: object): TLSSocket {
  if (socket instanceof TLSSocket) return socket;
  throw new TypeError('no TLS');
}

interface Over {
  readonly cluster?: object;
  readonly user?: object;
}

const aConfig = ({ cluster, user = { token: 'secret' } }: Over = {}): string =>
  JSON.stringify({
    'current-context': 'shop',
    contexts: [{ name: 'shop', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      {
        name: 'c',
        cluster: cluster ?? {
          server: url,
          'certificate-authority-data': base64(identity.certificate),
        },
      },
    ],
    users: [{ name: 'u', user }],
  });

const apiOf = async (text: string, { allowInsecure = false } = {}) => {
  const context = readKubeconfig(text, { file: join(folder, 'config') });
  return (await createKubeconfigApi(context, { allowInsecure })).api;
};

const callWith = async (over: Over): Promise<void> => {
  await (await apiOf(aConfig(over))).read(request);
};

const asFile = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return name;
};

describe('the credentials of a kubeconfig user', () => {
  it('sends a token', async () => {
    await callWith({ user: { token: 'secret' } });

    expect(callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
  });

  it('re-reads a token file next to the kubeconfig once a minute', async () => {
    const tokenFile = await asFile('token', 'first\n');
    const api = await apiOf(aConfig({ user: { tokenFile } }));
    await api.read(request);
    await asFile('token', 'second\n');
    await api.read(request);
    vi.setSystemTime(NOON + 2 * MINUTE_MS);
    await api.read(request);

    expect(callers.map(({ token }) => token)).toEqual(['first', 'first', 'second']);
  });

  it.each([
    [
      'data',
      async () => ({
        'client-certificate-data': base64(identity.certificate),
        'client-key-data': base64(identity.key),
      }),
    ],
    [
      'files',
      async () => ({
        'client-certificate': await asFile('me.crt', identity.certificate),
        'client-key': await asFile('me.key', identity.key),
      }),
    ],
  ])('shows a client certificate given as %s and sends no token', async (_, user) => {
    await callWith({ user: await user() });

    const { fingerprint256 } = new X509Certificate(identity.certificate);
    expect(callers).toEqual([{ token: '', fingerprint: fingerprint256 }]);
  });
});

/** The user whose credential plugin is a shell script. */
async function aPlugin(body: string): Promise<{ readonly exec: object }> {
  const name = await asFile('plugin', `#!/bin/sh\n${body}`);
  await chmod(join(folder, name), 0o755);
  return {
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command: `./${name}`, args: ['a b'] },
  };
}

const credential = (status: object): string =>
  JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status });

/** Prints `token-1`, `token-2` and so on, each valid for ten minutes. */
const aCountingPlugin = (): Promise<object> => {
  const status = { token: 'token-$n', expirationTimestamp: '2026-01-01T12:10:00Z' };
  return aPlugin(
    `cd "$(dirname "$0")"; n=$(cat count 2>/dev/null || echo 0); n=$((n+1)); echo $n > count
cat <<END\n${credential(status)}\nEND\n`,
  );
};

describe('a credential plugin', () => {
  it('runs again when its token has expired', async () => {
    const api = await apiOf(aConfig({ user: await aCountingPlugin() }));
    await api.read(request);
    await api.read(request);
    vi.setSystemTime(NOON + 10 * MINUTE_MS);
    await api.read(request);

    expect(callers.map(({ token }) => token)).toEqual(['token-1', 'token-1', 'token-2']);
  });

  it('runs once for requests that start together', async () => {
    const api = await apiOf(aConfig({ user: await aCountingPlugin() }));
    vi.setSystemTime(NOON + 10 * MINUTE_MS);
    await Promise.all([api.read(request), api.read(request), api.read(request)]);

    expect(new Set(callers.map(({ token }) => token))).toEqual(new Set(['token-2']));
  });

  it('runs again when the API server refuses its token', async () => {
    refusedToken = 'token-1';
    const api = await apiOf(aConfig({ user: await aCountingPlugin() }));
    await api.read(request);

    expect(callers.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
  });

  it('can print a certificate, and a new one when that has expired', async () => {
    const [first, second] = [identity, aCertificate()];
    const expirationTimestamp = '2026-01-01T12:10:00Z';
    for (const [index, { certificate, key }] of [first, second].entries()) {
      const data = { clientCertificateData: certificate, clientKeyData: key, expirationTimestamp };
      await asFile(`credential-${index}`, credential(data));
    }
    const user = await aPlugin('cat "$(dirname "$0")/credential-$(cat "$(dirname "$0")/turn")"');
    await asFile('turn', '0');
    const api = await apiOf(aConfig({ user }));
    await api.read(request);
    await asFile('turn', '1');
    vi.setSystemTime(NOON + 10 * MINUTE_MS);
    await api.read(request);

    expect(callers.map(({ fingerprint }) => fingerprint)).toEqual(
      [first, second].map(({ certificate }) => new X509Certificate(certificate).fingerprint256),
    );
  });

  it('gets the cluster in KUBERNETES_EXEC_INFO', async () => {
    const plugin = await aPlugin(
      `echo "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"; echo '${credential({ token: 'x' })}'`,
    );
    await callWith({ user: { exec: { ...plugin.exec, provideClusterInfo: true } } });

    expect(JSON.parse(await readFile(join(folder, 'info'), 'utf8'))).toMatchObject({
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: url } },
    });
  });

  it('reads the end of its input instead of waiting for an answer', async () => {
    const user = await aPlugin('read -r answer || { echo "nothing to read" >&2; exit 1; }');

    await expect(callWith({ user })).rejects.toThrow('nothing to read');
  });

  it('that does not exist leads to an error that says so', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'no-such-plugin' };

    await expect(callWith({ user: { exec } })).rejects.toThrow('no-such-plugin: spawn');
  });

  it.each([
    [
      'fails with the last line of its stderr',
      'echo oh >&2; echo sign in first >&2; exit 3',
      'sign in first',
    ],
    ['prints something else', 'echo hello', 'no ExecCredential'],
    ['prints JSON of another kind', `echo '{"kind":"Pod"}'`, 'no ExecCredential'],
    ['fails silently', 'exit 1', 'it failed without a message'],
    ['prints no credentials', `echo '${credential({})}'`, 'neither a token nor a certificate'],
  ])('leads to an error that says why if it %s', async (_, body, why) => {
    const user = await aPlugin(body);

    const error = await callWith({ user }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CredentialPluginError);
    expect(String(error)).toContain(why);
  });
});

describe('the server of a kubeconfig cluster', () => {
  it('is trusted by the CA file next to the kubeconfig', async () => {
    const authority = await asFile('ca.crt', identity.certificate);
    await callWith({ cluster: { server: url, 'certificate-authority': authority } });

    expect(callers).toHaveLength(1);
  });

  it('never receives the token if another CA signed its certificate', async () => {
    const other = base64(aCertificate().certificate);
    const cluster = { server: url, 'certificate-authority-data': other };

    await expect(callWith({ cluster })).rejects.toThrow(ApiUnreachableError);
    expect(callers).toEqual([]);
  });

  it('is refused without certificate verification unless the caller allows it', async () => {
    const text = aConfig({ cluster: { server: url, 'insecure-skip-tls-verify': true } });
    await expect(apiOf(text)).rejects.toThrow(/insecure-skip-tls-verify is true/);

    await (await apiOf(text, { allowInsecure: true })).read(request);
    expect(callers).toHaveLength(1);
  });
});

describe('the proxy of a kubeconfig cluster', () => {
  it("carries the requests, and the server's certificate is still verified", async () => {
    const targets: string[] = [];
    const proxy = createHttpServer().on('connect', ({ url: target = '' }, client) => {
      targets.push(target);
      const [host = '', port] = target.split(':');
      const upstream = connectTcp(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const cluster = { server: url, 'proxy-url': `http://127.0.0.1:${port}` };

    const certificate = base64(identity.certificate);
    await callWith({ cluster: { ...cluster, 'certificate-authority-data': certificate } });
    await expect(callWith({ cluster })).rejects.toThrow(ApiUnreachableError);

    expect(targets).toEqual([new URL(url).host, new URL(url).host]);
    expect(callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
    proxy.close();
  });
});

/** A SOCKS 5 proxy (RFC 1928) without authentication, which gets the names of its targets. */
async function aSocksProxy(targets: string[]): Promise<{ url: string; close(): void }> {
  const proxy = createTcpServer((client) => {
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request: Buffer) => {
        const end = 5 + (request[4] ?? 0);
        const host = request.toString('latin1', 5, end);
        const port = request.readUInt16BE(end);
        targets.push(`${host}:${port}`);
        const upstream = connectTcp(port, '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
      });
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `socks5h://127.0.0.1:${port}`, close: () => void proxy.close() };
}

describe('a SOCKS proxy of a kubeconfig cluster', () => {
  it('carries the requests', async () => {
    const targets: string[] = [];
    const proxy = await aSocksProxy(targets);
    const server = url.replace('127.0.0.1', 'localhost');
    await callWith({
      cluster: {
        server,
        'proxy-url': proxy.url,
        'certificate-authority-data': base64(identity.certificate),
      },
    });

    expect(targets).toEqual([new URL(server).host]);
    expect(callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
    proxy.close();
  });
});

/** The mistake, and the error after the name of the file. */
const MISTAKES: readonly (readonly [mistake: string, text: () => string, message: RegExp])[] = [
  ['invalid YAML', () => 'a: [', /:\d+:\d+: /],
  [
    'a missing context',
    () => aConfig().replace('"current-context":"shop"', '"current-context":"nix"'),
    /current-context names the context nix/,
  ],
  ['no contexts', () => '{}', /current-context is not set, and the file has no contexts/],
  [
    'a missing cluster',
    () => aConfig().replace('"name":"c","cluster"', '"name":"d","cluster"'),
    /contexts\[0\]\.context\.cluster names the cluster c/,
  ],
  [
    'a missing user',
    () => aConfig().replace('"name":"u","user"', '"name":"v","user"'),
    /contexts\[0\]\.context\.user names the user u/,
  ],
  [
    'a server that is not a string',
    () => aConfig({ cluster: { server: 5 } }),
    /clusters\[0\]\.cluster\.server/,
  ],
  [
    'a server that is not a URL',
    () => aConfig({ cluster: { server: 'nowhere' } }),
    /clusters\[c\]\.cluster\.server is no URL/,
  ],
  [
    'a CA that is not base64',
    () => aConfig({ cluster: { server: 'https://x', 'certificate-authority-data': '!' } }),
    /certificate-authority-data/,
  ],
  [
    'a missing CA file',
    () => aConfig({ cluster: { server: 'https://x', 'certificate-authority': 'nix.crt' } }),
    /certificate-authority names nix\.crt, which cannot be read/,
  ],
  [
    'a proxy of an unknown protocol',
    () => aConfig({ cluster: { server: 'https://x', 'proxy-url': 'ftp://p' } }),
    /clusters\[c\]\.cluster\.proxy-url is no URL of an http, https or socks5 proxy: ftp:/,
  ],
  [
    'a key without a certificate',
    () => aConfig({ user: { 'client-key-data': base64('k') } }),
    /users\[u\]\.user\.client-certificate is missing/,
  ],
  [
    'a password',
    () => aConfig({ user: { username: 'ana', password: 'p' } }),
    /users\[u\]\.user\.username is not supported/,
  ],
  [
    'an auth provider',
    () => aConfig({ user: { 'auth-provider': { name: 'gcp' } } }),
    /users\[u\]\.user\.auth-provider is not supported/,
  ],
  [
    'a plugin of an unknown version',
    () => aConfig({ user: { exec: { apiVersion: 'v0', command: 'x' } } }),
    /users\[0\]\.user\.exec\.apiVersion/,
  ],
];

describe('the error for a kubeconfig', () => {
  it.each(MISTAKES)('with %s names file, field and reason', async (_, text, message) => {
    const error = await apiOf(text()).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(KubeconfigError);
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain(join(folder, 'config'));
  });

  it('lists the contexts of the file', async () => {
    const reading = async () => readKubeconfig(aConfig(), { file: 'f', context: 'nix' });

    await expect(reading()).rejects.toMatchObject({ problem: { validNames: ['shop'] } });
  });
});
