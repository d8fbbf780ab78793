import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KubeconfigError, readKubeconfig } from '../../../cli/cluster/kubeconfig.ts';
import {
  CredentialPluginError,
  createKubeconfigApi,
} from '../../../cli/cluster/kubeconfig-access.ts';
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
/** Who called: the token, and whether a certificate came along. */
const callers: { readonly token: string; readonly certified: boolean }[] = [];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  callers.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  identity = aCertificate();
  const tls = { cert: identity.certificate, key: identity.key, requestCert: true };
  server = createServer({ ...tls, rejectUnauthorized: false }, ({ headers, socket }, response) => {
    const certified = Object.keys(asTls(socket).getPeerCertificate()).length > 0;
    callers.push({ token: (headers.authorization ?? '').replace('Bearer ', ''), certified });
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

describe('who we are, by a kubeconfig', () => {
  it('is told by a token', async () => {
    await callWith({ user: { token: 'secret' } });

    expect(callers).toEqual([{ token: 'secret', certified: false }]);
  });

  it('is told by a token file beside it, read again when it may be new', async () => {
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
  ])('is told by a certificate, as %s, and then no token is sent', async (_, user) => {
    await callWith({ user: await user() });

    expect(callers).toEqual([{ token: '', certified: true }]);
  });
});

/** A plugin that counts its calls, and says `token-1`, `token-2`, each for ten minutes. */
async function aPlugin(body: string): Promise<object> {
  const name = await asFile('plugin', `#!/bin/sh\n${body}`);
  await chmod(join(folder, name), 0o755);
  return {
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command: `./${name}`, args: ['a b'] },
  };
}

const credential = (status: object): string =>
  JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status });

describe('a credential plugin', () => {
  it('is asked anew when its token ends', async () => {
    const status = { token: 'token-$n', expirationTimestamp: '2026-01-01T12:10:00Z' };
    const user = await aPlugin(
      `cd "$(dirname "$0")"; n=$(cat count 2>/dev/null || echo 0); n=$((n+1)); echo $n > count
cat <<END\n${credential(status)}\nEND\n`,
    );
    const api = await apiOf(aConfig({ user }));
    await api.read(request);
    await api.read(request);
    vi.setSystemTime(NOON + 10 * MINUTE_MS);
    await api.read(request);

    expect(callers.map(({ token }) => token)).toEqual(['token-1', 'token-1', 'token-2']);
  });

  it('may give a certificate', async () => {
    const data = { clientCertificateData: identity.certificate, clientKeyData: identity.key };
    await callWith({ user: await aPlugin(`cat <<'END'\n${credential(data)}\nEND\n`) });

    expect(callers).toEqual([{ token: '', certified: true }]);
  });

  it.each([
    [
      'fails: its last word is the reason',
      'echo oh >&2; echo sign in first >&2; exit 3',
      'sign in first',
    ],
    ['says something else', 'echo hello', 'no ExecCredential'],
    ['gives nothing', `echo '${credential({})}'`, 'neither a token nor a certificate'],
  ])('that %s', async (_, body, why) => {
    const user = await aPlugin(body);

    const error = await callWith({ user }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CredentialPluginError);
    expect(String(error)).toContain(why);
  });
});

describe('a server', () => {
  it('is known by a CA file beside the kubeconfig', async () => {
    const authority = await asFile('ca.crt', identity.certificate);
    await callWith({ cluster: { server: url, 'certificate-authority': authority } });

    expect(callers).toHaveLength(1);
  });

  it('of another CA never gets to see the token', async () => {
    const other = base64(aCertificate().certificate);
    const cluster = { server: url, 'certificate-authority-data': other };

    await expect(callWith({ cluster })).rejects.toThrow(ApiUnreachableError);
    expect(callers).toEqual([]);
  });

  it('that nobody checks is refused, unless that is asked for in so many words', async () => {
    const text = aConfig({ cluster: { server: url, 'insecure-skip-tls-verify': true } });
    await expect(apiOf(text)).rejects.toThrow(/insecure-skip-tls-verify is true/);

    await (await apiOf(text, { allowInsecure: true })).read(request);
    expect(callers).toHaveLength(1);
  });
});

/** What is wrong, and how it is told after the file's name. */
const WRONG: readonly (readonly [what: string, text: () => string, told: RegExp])[] = [
  ['YAML that is none', () => 'a: [', /:\d+:\d+: /],
  [
    'a context that is not there',
    () => aConfig().replace('"current-context":"shop"', '"current-context":"nix"'),
    /current-context names the context nix/,
  ],
  ['no context at all', () => '{}', /current-context is not set, and the file has no contexts/],
  [
    'a cluster that is not there',
    () => aConfig().replace('"name":"c","cluster"', '"name":"d","cluster"'),
    /contexts\[0\]\.context\.cluster names the cluster c/,
  ],
  [
    'a user that is not there',
    () => aConfig().replace('"name":"u","user"', '"name":"v","user"'),
    /contexts\[0\]\.context\.user names the user u/,
  ],
  [
    'a server that is no text',
    () => aConfig({ cluster: { server: 5 } }),
    /clusters\[0\]\.cluster\.server/,
  ],
  [
    'a server that is no URL',
    () => aConfig({ cluster: { server: 'nowhere' } }),
    /clusters\[c\]\.cluster\.server is no URL/,
  ],
  [
    'a CA that is not base64',
    () => aConfig({ cluster: { server: 'https://x', 'certificate-authority-data': '!' } }),
    /certificate-authority-data/,
  ],
  [
    'a CA file that is not there',
    () => aConfig({ cluster: { server: 'https://x', 'certificate-authority': 'nix.crt' } }),
    /certificate-authority names nix\.crt, which cannot be read/,
  ],
  [
    'a proxy of an unknown protocol',
    () => aConfig({ cluster: { server: 'https://x', 'proxy-url': 'ftp://p' } }),
    /clusters\[c\]\.cluster\.proxy-url is no URL of an http, https or socks5 proxy: ftp:/,
  ],
  [
    'half a certificate',
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

describe('a kubeconfig that cannot be used', () => {
  it.each(WRONG)('with %s, says where', async (_, text, told) => {
    const error = await apiOf(text()).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(KubeconfigError);
    expect(String(error)).toMatch(told);
    expect(String(error)).toContain(join(folder, 'config'));
  });

  it('says which contexts there are', async () => {
    const reading = async () => readKubeconfig(aConfig(), { file: 'f', context: 'nix' });

    await expect(reading()).rejects.toMatchObject({ problem: { validNames: ['shop'] } });
  });
});
