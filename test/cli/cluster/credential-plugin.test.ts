import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CredentialPluginError } from '../../../cli/cluster/kubeconfig.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aCertificate } from '../../kubernetes/support/certificate.ts';
import { NOON } from '../../support/builders.ts';
import { kubeconfigServer, request } from './kubeconfig-server.ts';

const server = kubeconfigServer();
const { aConfig, apiOf, asFile, callWith } = server;

/** The user whose credential plugin is a shell script. */
async function aPlugin(body: string): Promise<{ readonly exec: object }> {
  const name = await asFile('plugin', `#!/bin/sh\n${body}`);
  await chmod(join(server.current.folder, name), 0o755);
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: `./${name}`,
      args: ['a b'],
      interactiveMode: 'Never',
    },
  };
}

const credential = (status: object): string =>
  JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status });

/** Prints `token-1`, `token-2` and so on. */
const aCountingPlugin = (validity: object = { expirationTimestamp: '2026-01-01T12:10:00Z' }): Promise<object> => {
  const status = { token: 'token-$n', ...validity };
  return aPlugin(
    `cd "$(dirname "$0")"; n=$(cat count 2>/dev/null || echo 0); n=$((n+1)); echo $n > count
cat <<END\n${credential(status)}\nEND\n`,
  );
};

/** Waits for longer than any test. Its shell becomes the process that waits. */
async function aHangingPlugin() {
  const user = await aPlugin('echo $$ > "$(dirname "$0")/pid"; exec sleep 600');
  const file = join(server.current.folder, 'pid');
  const pid = () => vi.waitUntil(async () => existsSync(file) && Number(await readFile(file, 'utf8')), WAIT);
  return { user, pid };
}

const WAIT = { interval: 5, timeout: 20_000 };

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a credential plugin', () => {
  it('runs again when its token has expired', async () => {
    const api = await apiOf(aConfig({ user: await aCountingPlugin() }));
    await api.read(request);
    await api.read(request);
    vi.setSystemTime(NOON + 10 * MINUTE_MS);
    await api.read(request);

    expect(server.current.callers.map(({ token }) => token)).toEqual(['token-1', 'token-1', 'token-2']);
  });

  it('runs for each request if its tokens have expired already, as those of a cache may have', async () => {
    const user = await aCountingPlugin({ expirationTimestamp: '2026-01-01T11:59:59Z' });
    const api = await apiOf(aConfig({ user }));
    await api.read(request);
    await api.read(request);

    const tokens = server.current.callers.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(2);
  });

  it('runs again only after a refusal if its tokens have no end', async () => {
    const api = await apiOf(aConfig({ user: await aCountingPlugin({}) }));
    await api.read(request);
    vi.setSystemTime(NOON + 24 * 60 * MINUTE_MS);
    await api.read(request);
    server.current.refusedToken = 'token-1';
    await api.read(request);

    expect(server.current.callers.map(({ token }) => token)).toEqual([...['token-1', 'token-1', 'token-1', 'token-2']]);
  });

  it('runs once for requests that start together', async () => {
    const api = await apiOf(aConfig({ user: await aCountingPlugin() }));
    vi.setSystemTime(NOON + 10 * MINUTE_MS);
    await Promise.all([api.read(request), api.read(request), api.read(request)]);

    expect(new Set(server.current.callers.map(({ token }) => token))).toEqual(new Set(['token-2']));
  });

  it('runs again when the API server refuses its token', async () => {
    server.current.refusedToken = 'token-1';
    const api = await apiOf(aConfig({ user: await aCountingPlugin() }));
    await api.read(request);

    expect(server.current.callers.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
  });

  it('can print a certificate, and a new one when that has expired', async () => {
    const [first, second] = [server.current.identity, aCertificate()];
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

    expect(server.current.callers.map(({ fingerprint }) => fingerprint)).toEqual(
      [first, second].map(({ certificate }) => new X509Certificate(certificate).fingerprint256),
    );
  });

  it('gets the cluster in KUBERNETES_EXEC_INFO', async () => {
    const plugin = await aPlugin(
      `echo "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"; echo '${credential({ token: 'x' })}'`,
    );
    await callWith({ user: { exec: { ...plugin.exec, provideClusterInfo: true } } });

    expect(JSON.parse(await readFile(join(server.current.folder, 'info'), 'utf8'))).toMatchObject({
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: server.current.url } },
    });
  });

  it('that gives no answer is killed after a minute, which leads to an error', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOON });
    const { user, pid } = await aHangingPlugin();
    const failure = callWith({ user }).catch(String);
    const plugin = await pid();
    vi.advanceTimersByTime(MINUTE_MS);

    expect(await failure).toContain('./plugin: it gave no answer within a minute');
    await vi.waitUntil(() => !isAlive(plugin), WAIT);
  });

  it.each([
    ['is stopped', 'SIGTERM'],
    ['ends', undefined],
  ] as const)('that gives no answer is killed when the command %s', async (_, signal) => {
    const { user, pid } = await aHangingPlugin();
    const kubeconfig = join(server.current.folder, await asFile('config', aConfig({ user })));
    const script = `
      import { createKubeconfigApi } from '${import.meta.resolve('../../../cli/cluster/kubeconfig-access.ts')}';
      import { readKubeconfig } from '${import.meta.resolve('../../../cli/cluster/kubeconfig.ts')}';
      import { readFileSync } from 'node:fs';
      process.on('SIGTERM', () => process.exit(143));
      process.stdin.on('end', () => process.exit(0)).resume();
      const file = '${kubeconfig}';
      const context = readKubeconfig(readFileSync(file, 'utf8'), { file });
      await createKubeconfigApi(context, { allowInsecure: false, userAgent: 'test' });`;
    const command = spawn(process.execPath, ['--input-type=module', '-e', script]);
    onTestFinished(() => void command.kill('SIGKILL'));
    const plugin = await pid();
    expect(isAlive(plugin)).toBe(true);
    if (signal) command.kill(signal);
    else command.stdin.end();
    await once(command, 'close');

    await vi.waitUntil(() => !isAlive(plugin), WAIT);
  });

  it('that asks a question gets an empty answer at once', async () => {
    const user = await aPlugin('read -r answer || echo "no terminal to sign in" >&2; exit 1');

    await expect(callWith({ user })).rejects.toThrow('no terminal to sign in');
  });

  it('that does not exist leads to an error that says so', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'no-such-plugin' };

    await expect(callWith({ user: { exec } })).rejects.toMatchObject({
      message: 'no-such-plugin: no such program; it is not installed, or not on the PATH',
      hint: 'install no-such-plugin',
    });
  });

  it.each([
    ['fails with the last line of its stderr', 'echo oh >&2; echo sign in first >&2; exit 3', 'sign in first'],
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
