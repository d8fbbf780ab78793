import type { Program } from './lab/programs.ts';
import { REPOSITORY } from './lab/repository.ts';
import { runCommand } from './lab/run-command.ts';
import type { Lab } from './lab/start-lab.ts';
import { CLUSTER } from './lab/start-lab.ts';

const ENTRY = 'cli/mortise.ts';

/** Runs `mortise <args>` until it exits; commands that read a cluster read ours. */
export const mortise = (lab: Lab, args: readonly string[]): Promise<string> =>
  runCommand({
    command: 'node',
    args: [ENTRY, ...args],
    cwd: REPOSITORY,
    environment: { ...lab.awsEnvironment, MORTISE_CLUSTER: CLUSTER },
    timeoutMs: 300_000,
  });

/** Starts `mortise controller`, which runs until it is stopped. */
export const startController = (
  lab: Lab,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Program =>
  lab.programs.start({
    name: 'controller',
    command: 'node',
    args: [ENTRY, 'controller', '--cluster', CLUSTER, ...args],
    cwd: REPOSITORY,
    environment: { ...lab.awsEnvironment, ...environment },
  });

/** Starts `mortise console` on a free port. Its log names the address. */
export const startConsole = (lab: Lab, args: readonly string[]): Program =>
  lab.programs.start({
    name: 'console',
    command: 'node',
    args: [ENTRY, 'console', ...args, '--port', '0'],
    cwd: REPOSITORY,
  });
