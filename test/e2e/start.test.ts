import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const MORTISE = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../examples/web-three-zones', import.meta.url));

function start(...flags: readonly string[]) {
  const child = spawn(process.execPath, [MORTISE, 'start', ...flags]);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    written.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    written.stderr += String(chunk);
  });
  return { child, written };
}

/** Returns the URL that the command prints once its page answers. */
async function urlOf({ child, written }: ReturnType<typeof start>): Promise<string> {
  while (!written.stdout.includes('\n')) await once(child.stdout, 'data');
  return written.stdout.replace('Console: ', '').trim();
}

const exitOf = async (child: ChildProcess): Promise<unknown> => (await once(child, 'exit'))[0];

/** Opens a server on a port, so that the port is in use. */
async function aBusyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('mortise start', () => {
  it('prints the URL of its page once it answers, and exits with 0 on Ctrl-C', async () => {
    const playground = start('--port', '0', '-f', EXAMPLE);
    const url = await urlOf(playground);
    const { status } = await fetch(url);
    playground.child.kill('SIGINT');

    expect({ status, exit: await exitOf(playground.child) }).toEqual({ status: 200, exit: 0 });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(playground.written.stdout).toBe(`Console: ${url}\n`);
  });

  it('exits with 0 on SIGTERM', async () => {
    const playground = start('--port', '0');
    await urlOf(playground);
    playground.child.kill('SIGTERM');

    expect(await exitOf(playground.child)).toBe(0);
  });

  it('exits with 2 if the given port is in use', async () => {
    const port = await aBusyPort();
    const { child, written } = start('--port', String(port));

    expect(await exitOf(child)).toBe(2);
    expect(written.stdout).toBe('');
    expect(written.stderr).toContain(
      `error: port ${port} is in use\n  where: --port\n  why:   another program listens on it\n`,
    );
  });

  it('reports a refused manifest as `simulate` does, and starts nothing', async () => {
    const { child, written } = start('-f', fileURLToPath(new URL('nix.yaml', import.meta.url)));

    expect(await exitOf(child)).toBe(2);
    expect(written.stderr).toMatch(/^error: cannot open .*nix\.yaml\n/);
  });
});
