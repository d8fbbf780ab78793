import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, REPOSITORY } from './repository.ts';
import { runCommand } from './run-command.ts';

/** Installs `ministack` and `moto_server` once and returns their folder. */
export async function installPythonTools(say: (line: string) => void): Promise<string> {
  say('looking for the local AWS; it is installed once');
  return await installPython('requirements.txt');
}

/**
 * Installs Python packages into a cached folder of their own.
 *
 * @param list - requirements file in test/e2e
 * @returns the folder with the executables
 * @throws Error - there is no Python to install them with
 */
export async function installPython(list: string): Promise<string> {
  const requirements = join(REPOSITORY, 'test/e2e', list);
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(CACHE, `python-${digest.slice(0, 12)}`);
  const done = join(folder, 'requirements.txt');
  if (existsSync(done)) return join(folder, 'bin');

  rmSync(folder, { recursive: true, force: true });
  await createEnvironment(folder);
  const pip = join(folder, 'bin/pip');
  const args = ['install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  await runCommand({ command: pip, args, timeoutMs: 10 * 60_000 });
  await runCommand({ command: 'cp', args: [requirements, `${done}.new`] });
  // This marker is written last, so that an interrupted installation is repeated.
  renameSync(`${done}.new`, done);
  return join(folder, 'bin');
}

async function createEnvironment(folder: string): Promise<void> {
  try {
    await runCommand({ command: 'python3', args: ['-m', 'venv', folder] });
  } catch (cause) {
    const why = 'The end-to-end tests need Python 3.11 or newer with its venv module';
    throw new Error(`${why}: install python3 and python3-venv.`, { cause });
  }
}
