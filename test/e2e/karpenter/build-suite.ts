import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textAt } from '../lab/json.ts';
import { findGo } from '../lab/kubernetes/find-go.ts';
import { CACHE } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';
import { MODULES, type ModuleName, type Suite } from './suites.ts';

/** A compiled suite. */
export interface SuiteProgram {
  readonly program: string;
  /** The folder of its package: specs read files of `testdata` by relative path. */
  readonly folder: string;
}

/**
 * The suites set Gomega's timeout in their code. Without this line, Gomega reads it from
 * GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT. Nothing else of a module is changed.
 */
const TIMEOUT_FILE = 'test/pkg/environment/common/environment.go';
const TIMEOUT_LINE = /^\s*gomega\.SetDefaultEventuallyTimeout\(.*\)\n/m;

const MAX_BUILD_MS = 40 * 60_000;

/**
 * A suite may demand a newer Go than the machine has, which then comes through the module proxy. `mod`
 * adds the checksums of replaced dependencies.
 */
const GO_ENVIRONMENT = { GOTOOLCHAIN: 'auto', GOFLAGS: '-mod=mod' } as const;

/**
 * Compiles a suite once; program and sources are cached.
 *
 * @throws Error - the module cannot be downloaded, does not compile, or sets its timeout elsewhere
 */
export async function buildSuite(suite: Suite, say: (line: string) => void): Promise<SuiteProgram> {
  const go = await findGo(say);
  const sources = await copyModule(go, suite.module, say);
  const folder = join(sources, 'test/suites', suite.package);
  const program = join(sources, `${suite.package}.test`);
  if (!existsSync(program)) {
    say(`building the suite ${suite.package}, once: this takes some minutes`);
    const unfinished = `${program}.${process.pid}`;
    await runCommand({
      command: go,
      args: ['test', '-vet=off', '-c', '-o', unfinished, `./test/suites/${suite.package}`],
      cwd: sources,
      environment: GO_ENVIRONMENT,
      timeoutMs: MAX_BUILD_MS,
    });
    renameSync(unfinished, program);
  }
  return { program, folder };
}

/** Copies the module out of Go's read-only module cache and edits it. */
async function copyModule(go: string, name: ModuleName, say: (line: string) => void): Promise<string> {
  const { path, version, replacements } = MODULES[name];
  const edit = createHash('sha256').update(TIMEOUT_LINE.source).digest('hex').slice(0, 8);
  const sources = join(CACHE, `karpenter-suites-${name}-${version}-${edit}`);
  if (existsSync(sources)) return sources;

  say(`downloading ${path}@${version}, once`);
  mkdirSync(CACHE, { recursive: true });
  const download: unknown = JSON.parse(
    await runCommand({
      command: go,
      args: ['mod', 'download', '-json', `${path}@${version}`],
      cwd: CACHE,
      environment: GO_ENVIRONMENT,
      timeoutMs: MAX_BUILD_MS,
    }),
  );
  const unfinished = `${sources}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  await runCommand({ command: 'cp', args: ['-r', textAt(download, 'Dir'), unfinished] });
  await runCommand({ command: 'chmod', args: ['-R', 'u+w', unfinished] });
  makeTimeoutSettable(join(unfinished, TIMEOUT_FILE));
  for (const one of replacements) {
    await runCommand({ command: go, args: ['mod', 'edit', `-replace=${one}`], cwd: unfinished });
  }
  renameSync(unfinished, sources);
  return sources;
}

function makeTimeoutSettable(file: string): void {
  const text = readFileSync(file, 'utf8');
  const edited = text.replace(TIMEOUT_LINE, '');
  if (edited === text) {
    throw new Error(`${file} does not set Gomega's timeout: look up where this version does`);
  }
  writeFileSync(file, edited);
}
