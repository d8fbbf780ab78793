import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, REPOSITORY } from './repository.ts';
import { runCommand } from './run-command.ts';

const REQUIREMENTS = join(REPOSITORY, 'test/e2e/requirements.txt');

/**
 * The folder with `ministack` and `moto_server`, installed once and kept.
 *
 * @throws Error - there is no Python to install them with
 */
export async function installPythonTools(say: (line: string) => void): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  const folder = join(CACHE, `python-${digest.slice(0, 12)}`);
  const done = join(folder, 'requirements.txt');
  if (existsSync(done)) return join(folder, 'bin');

  say('installing the local AWS, once');
  rmSync(folder, { recursive: true, force: true });
  await createEnvironment(folder);
  const pip = join(folder, 'bin/pip');
  const args = ['install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS];
  await runCommand({ command: pip, args, timeoutMs: 10 * 60_000 });
  await runCommand({ command: 'cp', args: [REQUIREMENTS, `${done}.new`] });
  // Last, so that what was interrupted is begun anew.
  renameSync(`${done}.new`, done);
  return join(folder, 'bin');
}

async function createEnvironment(folder: string): Promise<void> {
  try {
    await runCommand({ command: 'python3', args: ['-m', 'venv', folder] });
  } catch (cause) {
    const why = 'The local AWS needs Python 3.11 or newer with its venv module';
    throw new Error(`${why}: install python3 and python3-venv.`, { cause });
  }
}
