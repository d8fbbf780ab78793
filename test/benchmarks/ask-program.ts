import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program in a process of its own and waits for its end.
 *
 * @returns the message that it sent last, and what it printed
 * @throws Error - if the program ends without a message
 */
export async function askProgram(
  program: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<{ readonly answer: unknown; readonly output: string }> {
  const child = fork(program, args, {
    execArgv: [...flags],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  let answer: unknown;
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  child.on('message', (message) => {
    answer = message;
  });
  await once(child, 'close');
  if (answer === undefined) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
  return { answer, output };
}
