/// <reference types="node" />
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Equal to `devDependencies` of `package.json`. */
const NODE_VERSION = '24.21.0';

/** The path of the Node.js that npm found before: to ask npm again takes a second. */
const FOUND = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mortise', `node-${NODE_VERSION}`);

/**
 * Runs the command again, with the Node.js of `package.json`. `npm ci` installs it, and npm then
 * finds it before the one that is too old; after `npm ci --omit=dev`, npm downloads it once.
 *
 * @param {number} oldestMajor
 */
export async function runWithNewerNode(oldestMajor) {
  const { npm_execpath: npm } = process.env;
  const node = readFoundNode() ?? (npm === undefined ? undefined : findNode(npm));
  if (node === undefined) {
    process.stderr.write(
      `error: mortise needs Node.js ${oldestMajor} or newer, and this is ${process.versions.node}\n` +
        '  fix:   in a clone, call it as `npm run mortise --`: npm brings the right Node.js along\n',
    );
    process.exit(2);
  }
  const bin = fileURLToPath(new URL('bin.js', import.meta.url));
  const child = spawn(node, [bin, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both processes, and the exit code is that of the command.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => process.exit(code ?? 1));
}

function readFoundNode() {
  if (!existsSync(FOUND)) return undefined;
  const path = readFileSync(FOUND, 'utf8');
  return existsSync(path) ? path : undefined;
}

/**
 * Finds Node.js in npm's cache, else downloads it.
 *
 * @param {string} npm - npm's main module
 */
function findNode(npm) {
  const { node } = process.versions;
  process.stderr.write(`mortise runs with Node.js ${NODE_VERSION}, which npm downloads once (this is ${node})\n`);
  const find = ['exec', '--yes', `--package=${platformPackage()}@${NODE_VERSION}`, '--', 'node', '-p'];
  const { status, stdout } = spawnSync(process.execPath, [npm, ...find, 'process.execPath'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) return undefined;
  const path = stdout.trim();
  mkdirSync(dirname(FOUND), { recursive: true });
  writeFileSync(FOUND, path);
  return path;
}

/** The package that the install script of `node` installs, and that has no install script itself. */
function platformPackage() {
  const { platform, arch } = process;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform === 'win32' ? 'win' : platform}-${arch}`;
}
