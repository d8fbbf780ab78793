import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Downloaded for each dry run of a release; no dependency of the repository. */
const VERDACCIO = '6.10.4';
/** A library of Verdaccio asks for the tag `cjs` of this package, which not every mirror of the npm registry has. */
const PINNED = { 'node-fetch': '2.7.0' };

/** https://verdaccio.org/docs/configuration, as JSON. Without `uplinks`, it has only what is published to it. */
const CONFIG = {
  storage: './storage',
  auth: { htpasswd: { file: './htpasswd', max_users: 1 } },
  uplinks: {},
  packages: { '**': { access: '$all', publish: '$authenticated' } },
  web: { enable: false },
  log: { type: 'stdout', format: 'pretty', level: 'error' },
};

export interface LocalRegistry {
  /** On loopback, without a slash at the end. */
  readonly url: string;
  /** The token of the only user. Without it, nothing can be published. */
  readonly token: string;
  stop(): Promise<void>;
}

/**
 * Starts an empty npm registry.
 *
 * @param folder - empty; gets the registry's program and its packages
 */
export async function startLocalRegistry(folder: string): Promise<LocalRegistry> {
  const files = { 'package.json': { private: true, overrides: PINNED }, 'config.yaml': CONFIG };
  for (const [file, value] of Object.entries(files)) {
    await writeFile(join(folder, file), JSON.stringify(value));
  }
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['install', ...options, `verdaccio@${VERDACCIO}`], {
    cwd: folder,
  });
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const program = join(folder, 'node_modules/verdaccio/bin/verdaccio');
  const child = fork(program, ['--config', './config.yaml', '--listen', url], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  try {
    await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error('The local registry ended.'))),
    ]);
    return { url, token: await addUser(url), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** https://github.com/npm/registry/blob/main/docs/user/authentication.md: `npm adduser` without questions. */
async function addUser(url: string): Promise<string> {
  const name = 'release';
  const response = await fetch(`${url}/-/user/org.couchdb.user:${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password: crypto.randomUUID() }),
  });
  const body: unknown = await response.json();
  return z.object({ token: z.string() }).parse(body).token;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, 'close');
  return port;
}
