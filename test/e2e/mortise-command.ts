import type { Program } from './lab/programs.ts';
import { REPOSITORY } from './lab/repository.ts';
import { runCommand } from './lab/run-command.ts';
import type { Lab } from './lab/start-lab.ts';
import { CLUSTER } from './lab/start-lab.ts';

const ENTRY = 'cli/mortise.ts';

/** `mortise <args> --cluster <ours>`, to its end. */
export const mortise = (lab: Lab, args: readonly string[]): Promise<string> =>
  runCommand({
    command: 'node',
    args: [ENTRY, ...args, '--cluster', CLUSTER],
    cwd: REPOSITORY,
    environment: lab.awsEnvironment,
    timeoutMs: 300_000,
  });

/** `mortise controller`, until it is ended. */
export const startController = (lab: Lab, args: readonly string[] = []): Program =>
  lab.programs.start({
    name: 'controller',
    command: 'node',
    args: [ENTRY, 'controller', '--cluster', CLUSTER, ...args],
    cwd: REPOSITORY,
    environment: lab.awsEnvironment,
  });
