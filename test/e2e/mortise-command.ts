import { ACCOUNT, REGION } from './lab/aws/emulators.ts';
import { ACCESS_KEYS, type KeyHolder } from './lab/aws/rights/senders.ts';
import { listAt } from './lab/json.ts';
import type { Program } from './lab/programs.ts';
import { REPOSITORY } from './lab/repository.ts';
import { runCommand } from './lab/run-command.ts';
import type { Lab } from './lab/start-lab.ts';
import { CLUSTER } from './lab/start-lab.ts';

const ENTRY = 'cli/mortise.ts';

/**
 * Runs `mortise <args>` until it exits; commands that read a cluster read ours.
 *
 * @param holder - whose rights it has in AWS: those of the command's page, or of a controller
 */
export const mortise = (
  lab: Lab,
  args: readonly string[],
  holder: KeyHolder = 'reader',
): Promise<string> => run(lab, args, { AWS_ACCESS_KEY_ID: ACCESS_KEYS[holder] });

const run = (
  lab: Lab,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<string> =>
  runCommand({
    command: 'node',
    args: [ENTRY, ...args],
    cwd: REPOSITORY,
    environment: { ...lab.awsEnvironment, MORTISE_CLUSTER: CLUSTER, ...more },
    timeoutMs: 300_000,
  });

/** Gives the controller the policies that `mortise controller --print-setup` prints for the stack's nodes. */
export async function allowController(lab: Lab): Promise<void> {
  const print = async (part: string, ...flags: readonly string[]): Promise<readonly unknown[]> => {
    const where = ['--cluster', CLUSTER, '--region', REGION];
    const args = ['controller', '--print-setup', part, ...where, ...flags, '-o', 'text'];
    return listAt(JSON.parse(await run(lab, args, {})), 'Statement');
  };
  const role = lab.deployment.output('NodeRoleName');
  lab.senders.allow('controller', {
    Statement: [
      ...(await print('iam', '--account', ACCOUNT, '--node-role', role)),
      ...(await print('stack')),
    ],
  });
}

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
