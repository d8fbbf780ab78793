import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';

const MORTISE = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

export type Environment = Readonly<Record<string, string>>;

/** Starts the command as a separate process, which ends with the test. */
export function startProcess(argv: readonly string[], env: Environment = {}) {
  const child = spawn(process.execPath, [MORTISE, ...argv], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (written.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (written.stderr += String(chunk)));
  return { child, written, ended: async () => ({ code: await ended, ...written }) };
}

export type StartedProcess = ReturnType<typeof startProcess>;

/** A process that shares the machine with other tests starts slowly. */
export const START_TIMEOUT = { timeout: 60_000, interval: 50 } as const;

/** Waits until the process has printed a line, and parses it. */
export async function firstLineOf({ written }: StartedProcess): Promise<unknown> {
  await vi.waitFor(() => expect(written.stdout).toContain('\n'), START_TIMEOUT);
  return JSON.parse(written.stdout.split('\n')[0] ?? '');
}
