import { spawnSync } from 'node:child_process';

/** What bash makes of a script: what it writes, each item ended by NUL. */
export function bash(script: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc'], {
    input: script,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`bash ends with ${status}: ${stderr}`);
  return stdout.split('\0').slice(0, -1);
}

/** The words that bash makes of a line. Nothing of it is run. */
export const bashWords = (line: string): readonly string[] => bash(`printf '%s\\0' ${line}\n`);
