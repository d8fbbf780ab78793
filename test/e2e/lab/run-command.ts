import { spawn } from 'node:child_process';
import { PATH } from './repository.ts';

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Default: 2 min. */
  readonly timeoutMs?: number;
}

/** A program ended with another exit code than 0, or by a signal. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
  /** Undefined if a signal ended the program. */
  readonly exitCode: number | undefined;
  readonly output: string;

  constructor(message: string, exitCode: number | undefined, output: string) {
    super(message);
    this.exitCode = exitCode;
    this.output = output;
  }
}

/**
 * Runs a program until it exits.
 *
 * @returns its standard output
 * @throws CommandFailedError - the message contains its whole output
 */
export function runCommand({ command, args, environment, ...rest }: Command): Promise<string> {
  const { cwd, input = '', timeoutMs = 120_000 } = rest;
  const child = spawn(command, args, {
    env: ownEnvironment(environment),
    timeout: timeoutMs,
    ...(cwd !== undefined && { cwd }),
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  // The program may exit before it has read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);

  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else {
        const line = [command, ...args.map((arg) => arg.slice(0, 80))].join(' ');
        const message = `${line} ended with ${code ?? signal}:\n${errors}\n${output}`;
        reject(new CommandFailedError(message, code ?? undefined, output));
      }
    });
  });
}

/**
 * Returns the environment for programs of the lab: that of this process without variables that
 * refer to a real AWS account or cluster.
 */
export const ownEnvironment = (more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_|^KUBECONFIG$/.test(name));
  return { ...Object.fromEntries(inherited), PATH, ...more };
};
