import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promises as timers } from 'node:timers';

export interface Emulator {
  readonly endpoint: string;
  stop(): void;
}

const COMMAND = 'moto_server';
const START_TIMEOUT_MS = 30_000;

/**
 * Starts `moto_server` from PATH on a free port of the loopback interface.
 *
 * @throws Error - it is not installed, or does not start in time
 */
export async function startEmulator(): Promise<Emulator> {
  const port = await findFreePort();
  const server = spawn(COMMAND, ['-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([waitUntilReady(endpoint), rejectOnExit(server)]);
  } catch (cause) {
    server.kill();
    throw new Error("moto_server did not start: pip install 'moto[server,ec2]==5.2.5'", { cause });
  }
  return { endpoint, stop: () => void server.kill() };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port on the loopback');
  return address.port;
}

async function rejectOnExit(server: ChildProcess): Promise<never> {
  await once(server, 'exit');
  throw new Error('moto_server ended');
}

async function waitUntilReady(endpoint: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return;
    await timers.setTimeout(200);
  }
  throw new Error(`nothing answers at ${endpoint}`);
}
