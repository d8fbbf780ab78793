import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { KubeconfigError, readKubeconfig } from '../../../cli/cluster/kubeconfig.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { base64, kubeconfigServer, NO_CERTIFICATE, request } from './kubeconfig-server.ts';

const server = kubeconfigServer();
const { aConfig, apiOf, asFile, callWith } = server;

describe('the credentials of a kubeconfig user', () => {
  it('sends a token', async () => {
    await callWith({ user: { token: 'secret' } });

    expect(server.current.callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
  });

  it('re-reads a token file next to the kubeconfig once a minute', async () => {
    const tokenFile = await asFile('token', 'first\n');
    const api = await apiOf(aConfig({ user: { tokenFile } }));
    await api.read(request);
    await asFile('token', 'second\n');
    await api.read(request);
    vi.setSystemTime(NOON + 2 * MINUTE_MS);
    await api.read(request);

    expect(server.current.callers.map(({ token }) => token)).toEqual(['first', 'first', 'second']);
  });

  it.each([
    [
      'data',
      async () => ({
        'client-certificate-data': base64(server.current.identity.certificate),
        'client-key-data': base64(server.current.identity.key),
      }),
    ],
    [
      'files',
      async () => ({
        'client-certificate': await asFile('me.crt', server.current.identity.certificate),
        'client-key': await asFile('me.key', server.current.identity.key),
      }),
    ],
  ])('shows a client certificate given as %s and sends no token', async (_, user) => {
    await callWith({ user: await user() });

    const { fingerprint256 } = new X509Certificate(server.current.identity.certificate);
    expect(server.current.callers).toEqual([{ token: '', fingerprint: fingerprint256 }]);
  });
});

/** The mistake, and the error after the name of the file. */
const MISTAKES: readonly (readonly [mistake: string, text: () => string, message: RegExp])[] = [
  ['invalid YAML', () => 'a: [', /:1:\d+: flow sequence not closed/],
  ['nothing in it', () => '', /config: the file is empty/],
  ['two documents', () => '{}\n---\n{}', /:3:1: a second document begins here/],
  ['only a text', () => 'hello', /config: it is no kubeconfig/],
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
    /clusters\[0\]\.cluster\.server must be of the type string/,
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
    /users\[0\]\.user\.exec\.apiVersion must be one of client/,
  ],
];

describe('the error for a kubeconfig', () => {
  it.each(MISTAKES)('with %s names file, field and reason', async (_, text, message) => {
    const error = await apiOf(text()).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(KubeconfigError);
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain(join(server.current.folder, 'config'));
  });

  it('lists the contexts of the file', async () => {
    const reading = async () => readKubeconfig(aConfig(), { file: 'f', context: 'nix' });

    await expect(reading()).rejects.toMatchObject({ problem: { validNames: ['shop'] } });
  });
});
