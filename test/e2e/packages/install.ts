import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from '../../../packaging/build-package.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';

/** The packages of the CDK, which a user installs beside `mortise`. */
const CDK_PACKAGES = ['aws-cdk', 'aws-cdk-lib', 'constructs'] as const;

/** A folder in which nothing but the package is installed, as `npm install` leaves it. */
export interface Installation {
  readonly folder: string;
  /** Where the package was built. */
  readonly dist: string;
  /** The variables of the commands, with the address of each service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs `npx mortise`. */
  mortise(...args: readonly string[]): Promise<string>;
  /** Runs `npx cdk`. */
  cdk(...args: readonly string[]): Promise<string>;
}

/**
 * Builds the tarball and installs it offline into an empty folder whose path contains a space. The
 * CDK is linked from this repository.
 *
 * @param environment - for the commands
 */
export async function installPackage(
  parent: string,
  environment: Readonly<Record<string, string>>,
): Promise<Installation> {
  const dist = join(parent, 'dist');
  const { tarball } = await buildPackage(dist);
  const folder = mkdtempSync(join(parent, 'empty folder '));
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--legacy-peer-deps', tarball];
  await runCommand({ command: 'npm', args, cwd: folder });
  const modules = join(folder, 'node_modules');
  for (const name of CDK_PACKAGES) {
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(modules, name));
  }
  symlinkSync('../aws-cdk/bin/cdk', join(modules, '.bin/cdk'));
  const cwd = join(folder, 'anywhere');
  mkdirSync(cwd);
  const run = (command: string, given: readonly string[], at: string): Promise<string> =>
    runCommand({ command, args: given, cwd: at, environment, timeoutMs: 600_000 });
  return {
    folder,
    dist,
    environment,
    mortise: (...given) => run(join(modules, '.bin/mortise'), given, cwd),
    cdk: (...given) => run(join(modules, '.bin/cdk'), [...given, '--no-color'], folder),
  };
}
