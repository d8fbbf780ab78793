import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ACCOUNT, REGION } from './lab/aws/emulators.ts';
import { ACCESS_KEYS, type KeyHolder } from './lab/aws/rights/senders.ts';
import { listAt } from './lab/json.ts';
import type { Program } from './lab/programs.ts';
import { REPOSITORY } from './lab/repository.ts';
import { ownEnvironment, runCommand } from './lab/run-command.ts';
import type { Lab } from './lab/start-lab.ts';
import { CLUSTER } from './lab/start-lab.ts';
import { waitUntil } from './lab/wait-until.ts';

const ENTRY = 'cli/mortise.ts';

/**
 * Runs `mortise <args>` until it exits; commands that read a cluster read ours.
 *
 * @param holder - whose rights it has in AWS: those of the command's page, or of a controller
 */
export const mortise = (lab: Lab, args: readonly string[], holder: KeyHolder = 'reader'): Promise<string> =>
  run(lab, args, { AWS_ACCESS_KEY_ID: ACCESS_KEYS[holder] });

const run = (lab: Lab, args: readonly string[], more: Readonly<Record<string, string>>): Promise<string> =>
  runCommand({
    command: 'node',
    args: [ENTRY, ...args],
    cwd: REPOSITORY,
    environment: { ...lab.awsEnvironment, MORTISE_CLUSTER: CLUSTER, ...more },
    timeoutMs: 300_000,
  });

/** A call of the command that may fail, or be interrupted. */
export interface MortiseCall {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface MortiseCallOptions {
  /** True sends SIGINT, once. */
  readonly isDone?: (stderr: string) => boolean;
  readonly holder?: KeyHolder | 'administrator';
}

/** Runs `mortise <args>`, whatever its exit code. */
export function callMortise(
  lab: Lab,
  args: readonly string[],
  { isDone = () => false, holder = 'reader' }: MortiseCallOptions = {},
): Promise<MortiseCall> {
  const child = spawn('node', [ENTRY, ...args], {
    cwd: REPOSITORY,
    env: ownEnvironment({
      ...{ ...lab.awsEnvironment, MORTISE_CLUSTER: CLUSTER },
      ...(holder !== 'administrator' && { AWS_ACCESS_KEY_ID: ACCESS_KEYS[holder] }),
    }),
    timeout: 300_000,
  });
  let [stdout, stderr, isSent] = ['', '', false];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
    if (isSent || !isDone(stderr)) return;
    isSent = true;
    child.kill('SIGINT');
  });
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? -1, stdout, stderr }));
  });
}

/** Gives the controller the policies that `mortise controller --print-setup` prints for the stack's nodes. */
export async function allowController(lab: Lab): Promise<void> {
  const print = async (part: string, ...flags: readonly string[]): Promise<readonly unknown[]> => {
    const where = ['--cluster', CLUSTER, '--region', REGION];
    const args = ['controller', '--print-setup', part, ...where, ...flags, '-o', 'text'];
    return listAt(JSON.parse(await run(lab, args, {})), 'Statement');
  };
  const role = lab.deployment.output('NodeRoleName');
  lab.senders.allow('controller', {
    Statement: [...(await print('iam', '--account', ACCOUNT, '--node-role', role)), ...(await print('stack'))],
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

export interface RunningConsole {
  /** Reads a view of the page, for example `state`. */
  read(view: string): Promise<unknown>;
  end(): Promise<void>;
}

let consoles = 0;

/** Starts `mortise console` on a free port, and waits until it answers. */
export async function startConsole(lab: Lab, args: readonly string[]): Promise<RunningConsole> {
  consoles += 1;
  const program = lab.programs.start({
    // Its log names the address, so each has a log of its own.
    name: `console-${consoles}`,
    command: 'node',
    args: [ENTRY, 'console', ...args, '--port', '0'],
    cwd: REPOSITORY,
  });
  const url = await waitUntil(
    'the address of the console',
    () => /^Console: (\S+)$/m.exec(readFileSync(program.logFile, 'utf8'))?.[1],
  );
  return {
    read: async (view) => (await fetch(new URL(`/api/${view}`, url))).json(),
    end: () => program.end(),
  };
}
