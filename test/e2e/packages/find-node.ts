import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';

/** The oldest release line that the package supports, see `OLDEST_NODE_MAJOR` in its `bin.js`. */
const VERSION = '22.23.3';

/** Finds the oldest supported Node.js in the cache, else installs it there once. */
export async function findOldestNode(say: (line: string) => void): Promise<string> {
  const folder = join(CACHE, `node-${VERSION}`);
  const program = join(folder, 'node_modules/node/bin/node');
  if (existsSync(program)) return program;

  say(`installing Node.js ${VERSION}, once`);
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  const args = ['install', '--no-audit', '--no-fund', `node@${VERSION}`];
  await runCommand({ command: 'npm', args, cwd: unfinished, timeoutMs: 10 * 60_000 });
  renameSync(unfinished, folder);
  return program;
}
