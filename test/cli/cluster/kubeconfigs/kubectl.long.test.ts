import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { kubeconfigServer, request } from '../kubeconfig-server.ts';
import { KUBECONFIGS, receivedOf } from './cases.ts';
import { prepare } from './prepare.ts';

const run = promisify(execFile);
const server = kubeconfigServer();
afterEach(() => vi.unstubAllEnvs());

function isInstalled(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** kubectl decides what a kubeconfig means. */
describe.skipIf(!isInstalled())('kubectl, with a kubeconfig with', () => {
  it.each(KUBECONFIGS)('$name, does the same as the command', async (one) => {
    const { file, received } = await prepare(server, one);
    const { context, expected, kubectl } = one;
    const isRefused = expected instanceof RegExp;
    // The argument of --raw contains the path of the server.
    const path = isRefused ? request.path : receivedOf(expected).path;
    const call = run(
      'kubectl',
      [
        `--kubeconfig=${file}`,
        ...(context === undefined ? [] : [`--context=${context}`]),
        ...['get', '--raw', path, '--request-timeout=5s'],
      ],
      { env: { PATH: process.env.PATH, HOME: server.current.folder } },
    );
    call.child.stdin?.end();

    if (kubectl) expect(kubectl.does).toBe(isRefused ? 'accept' : 'refuse');
    if (kubectl ? kubectl.does === 'refuse' : isRefused) {
      await expect(call).rejects.toThrow('Command failed');
    } else {
      await call;
      if (!isRefused) expect(received()).toEqual(receivedOf(expected));
    }
  });
});
