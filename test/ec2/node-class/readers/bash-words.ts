import { spawnSync } from 'node:child_process';

/** Runs a script in bash and returns its output, split at NUL. */
export function bash(script: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc'], {
    input: script,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`bash ends with ${status}: ${stderr}`);
  return stdout.split('\0').slice(0, -1);
}

/** Splits a line into words as bash does, without running it. */
export const bashWords = (line: string): readonly string[] => bash(`printf '%s\\0' ${line}\n`);
