import { spawn } from 'node:child_process';
import type { Io } from './io.ts';
import type { Terminal } from './terminal.ts';

/** Returns the pager for a long answer; undefined to print it directly. */
export function pagerFor(text: string, terminal: Terminal, env: Io['env']): string | undefined {
  if (!terminal.isTty || terminal.rows === undefined) return undefined;
  if (text.split('\n').length <= terminal.rows) return undefined;
  const pager = env.MORTISE_PAGER ?? env.PAGER ?? 'less -FRX';
  return pager === '' || pager === 'cat' ? undefined : pager;
}

/**
 * @returns false if the pager did not start and the text must be printed
 */
export async function page(text: string, pager: string): Promise<boolean> {
  return await new Promise((done) => {
    // A pager is a command line such as `less -FRX`; the shell splits it.
    const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
    child.on('error', () => done(false));
    child.on('close', (code) => done(code !== 127));
    // The user closed the pager before the end.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}
