import { X509Certificate } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aCertificate } from '../../kubernetes/support/certificate.ts';
import { COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aFolder } from '../call.ts';
import { base64 } from '../cluster/kubeconfig-server.ts';
import { anHttpProxy } from '../cluster/proxies.ts';
import { firstLineOf, START_TIMEOUT, startProcess } from '../start-process.ts';
import { anEmptyAws } from './empty-aws.ts';
import { aSecuredApi, type SecuredApi } from './secured-api.ts';

const TOKEN_MS = 2 * SECOND_MS;
const API_VERSION = 'client.authentication.k8s.io/v1beta1';
const exec = { apiVersion: API_VERSION, command: './plugin', args: ['eks', 'get-token'] };

const credential = (status: object): string =>
  JSON.stringify({ apiVersion: API_VERSION, kind: 'ExecCredential', status });

/** As `aws eks get-token` without a cache: each run gives another token, valid for two seconds. */
const COUNTING_PLUGIN = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = __dirname + '/count';
const n = 1 + (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
writeFileSync(file, String(n));
const expirationTimestamp = new Date(Date.now() + ${TOKEN_MS}).toISOString();
const status = { token: 'token-' + n, expirationTimestamp };
console.log(JSON.stringify({ apiVersion: '${API_VERSION}', kind: 'ExecCredential', status }));
`;

/** As a plugin with a cache on disk: it prints what is in the file \`cache\`, or asks to sign in. */
const CACHING_PLUGIN = `#!/bin/sh
cat "$(dirname "$0")/cache" 2>/dev/null || { echo 'the session has ended: sign in' >&2; exit 1; }
`;

interface Parts {
  readonly user: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly cluster?: object;
}

/** Starts `mortise controller` with a kubeconfig, and waits until it owns the cluster. */
async function startController(api: SecuredApi, { user, files = {}, cluster = {} }: Parts) {
  const ca = { 'certificate-authority-data': base64(api.identity.certificate) };
  const config = JSON.stringify({
    'current-context': 'shop',
    contexts: [{ name: 'shop', context: { cluster: 'shop', user: 'admin' } }],
    clusters: [{ name: 'shop', cluster: { server: api.url, ...ca, ...cluster } }],
    users: [{ name: 'admin', user }],
  });
  const folder = await aFolder({ config, ...files });
  if (files.plugin !== undefined) await chmod(join(folder, 'plugin'), 0o755);
  const running = startProcess(['controller', '--kubeconfig', join(folder, 'config')], await anEmptyAws());
  const { result } = startSchema.parse(await firstLineOf(running));
  await waitForRenewal(api);
  return { folder, running, isReady: () => isReady(result.healthPort) };
}

const startSchema = z.object({ result: z.object({ healthPort: z.number() }) });

const isReady = async (port: number): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;

/** Waits until the controller writes its lease the next time. */
async function waitForRenewal({ double }: SecuredApi): Promise<void> {
  const before = double.table.list(COLLECTIONS.leases)[0]?.metadata.resourceVersion;
  await vi.waitFor(() => {
    const [lease] = double.table.list(COLLECTIONS.leases);
    expect(lease?.spec).toHaveProperty('holderIdentity');
    expect(lease?.spec).not.toMatchObject({ holderIdentity: '' });
    expect(lease?.metadata.resourceVersion).not.toBe(before);
  }, START_TIMEOUT);
}

const fingerprintOf = (certificate: string): string => new X509Certificate(certificate).fingerprint256;

describe('the credentials of mortise controller', { timeout: 150_000 }, () => {
  it('are renewed in time if the tokens of a plugin without a cache expire', async () => {
    const api = await aSecuredApi();
    const firstUses = new Map<string, number>();
    api.accepts = ({ token }) => {
      const first = firstUses.get(token) ?? Date.now();
      firstUses.set(token, first);
      // The plugin has made the token before its first use.
      return Date.now() - first < TOKEN_MS;
    };
    const { isReady } = await startController(api, {
      user: { exec },
      files: { plugin: COUNTING_PLUGIN },
    });
    await vi.waitFor(() => expect(firstUses.size).toBeGreaterThan(3), START_TIMEOUT);

    expect(api.refusals).toEqual([]);
    expect(await isReady()).toBe(true);
  });

  it('are asked for again if the API server refuses the token of a plugin with a cache', async () => {
    const api = await aSecuredApi();
    const cache = credential({ token: 'old' });
    const { folder, isReady } = await startController(api, {
      user: { exec },
      files: { plugin: CACHING_PLUGIN, cache },
    });
    await writeFile(join(folder, 'cache'), credential({ token: 'new' }));
    api.accepts = ({ token }) => token === 'new';
    await waitForRenewal(api);

    expect(api.callers.map(({ token }) => token)).toEqual(['old', 'new']);
    expect(await isReady()).toBe(true);
  });

  it('may be missing for a while: the controller names the reason, and goes on with the next token', async () => {
    const api = await aSecuredApi();
    const { folder, running, isReady } = await startController(api, {
      user: { exec },
      files: { plugin: CACHING_PLUGIN, cache: credential({ token: 'old' }) },
    });
    await writeFile(join(folder, 'plugin'), CACHING_PLUGIN.replace('/cache', '/renewed'));
    api.accepts = ({ token }) => token === 'new';
    await vi.waitFor(() => expect(running.written.stdout).toContain('the session has ended: sign in'), START_TIMEOUT);
    await writeFile(join(folder, 'renewed'), credential({ token: 'new' }));
    await waitForRenewal(api);

    expect(running.child.exitCode).toBeNull();
    await vi.waitFor(async () => expect(await isReady()).toBe(true), START_TIMEOUT);
  });

  it('are those of the new client certificate once its files are replaced', async () => {
    const api = await aSecuredApi();
    const [old, next] = [aCertificate(), aCertificate()];
    const { folder, isReady } = await startController(api, {
      user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' },
      files: { 'client.crt': old.certificate, 'client.key': old.key },
    });
    await writeFile(join(folder, 'client.key'), next.key);
    await writeFile(join(folder, 'client.crt'), next.certificate);
    api.accepts = ({ fingerprint }) => fingerprint === fingerprintOf(next.certificate);
    await waitForRenewal(api);

    expect(api.callers.map(({ fingerprint }) => fingerprint)).toEqual(
      [old, next].map(({ certificate }) => fingerprintOf(certificate)),
    );
    expect(await isReady()).toBe(true);
  });

  it('go through the proxy of the kubeconfig, watches as well', async () => {
    const api = await aSecuredApi();
    const proxy = await anHttpProxy();
    const { isReady } = await startController(api, {
      user: { token: 'secret' },
      cluster: { 'proxy-url': proxy.url },
    });

    expect(new Set(proxy.targets)).toEqual(new Set([new URL(api.url).host]));
    await vi.waitFor(() => expect(api.double.countWatches()).toBeGreaterThan(0), START_TIMEOUT);
    expect(await isReady()).toBe(true);
  });
});
