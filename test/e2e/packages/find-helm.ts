import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { findGo } from '../lab/kubernetes/find-go.ts';
import { CACHE } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';

/** Go verifies the module by the checksum database. */
const VERSION = 'v3.19.0';

/**
 * Finds Helm on the PATH, else builds it once and caches it (5 min on 2 cores).
 *
 * @throws Error - Go is missing and cannot be installed
 */
export async function findHelm(say: (line: string) => void): Promise<string> {
  const installed = (process.env.PATH ?? '')
    .split(':')
    .map((folder) => join(folder, 'helm'))
    .find((path) => existsSync(path));
  const program = installed ?? join(CACHE, `helm-${VERSION}`);
  if (existsSync(program)) return program;

  const go = await findGo(say);
  say('building Helm, once: this takes some minutes');
  const folder = join(CACHE, `helm-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  await runCommand({
    command: go,
    args: ['install', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@${VERSION}`],
    environment: { GOBIN: folder },
    timeoutMs: 40 * 60_000,
  });
  renameSync(join(folder, 'helm'), program);
  return program;
}
