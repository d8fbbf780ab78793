import { spawn } from 'node:child_process';
import type { Io } from './io.ts';
import type { Terminal } from './terminal.ts';

/** The program that shows a long answer page by page; absent: print it as it is. */
export function pagerFor(text: string, terminal: Terminal, env: Io['env']): string | undefined {
  if (!terminal.isTty || terminal.rows === undefined) return undefined;
  if (text.split('\n').length <= terminal.rows) return undefined;
  const pager = env.MORTISE_PAGER ?? env.PAGER ?? 'less -FRX';
  return pager === '' || pager === 'cat' ? undefined : pager;
}

/** @returns whether the pager took the text; if not, it is still to be printed */
export async function page(text: string, pager: string): Promise<boolean> {
  return await new Promise((done) => {
    // A pager is a command line that its user wrote, `less -FRX` for one: the shell splits it.
    const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
    child.on('error', () => done(false));
    child.on('close', (code) => done(code !== 127));
    // Left before the end: no more is wanted.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}
