import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { fail } from '../errors.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Io } from '../terminal/io.ts';

export interface Confirmation {
  /** The value of `--yes`. */
  readonly yes?: string;
  readonly cluster: string;
  /** True if the user can be prompted. */
  readonly mayAsk: boolean;
  /** The plan, shown before the prompt. */
  readonly plan: string;
}

/**
 * Asks for confirmation by the cluster's name, so that a habitual "yes" is not enough.
 *
 * @returns false if there was no confirmation and no prompt is possible
 * @throws CliError - `not-confirmed`: another name was given
 */
export async function isConfirmed({ yes, cluster, mayAsk, plan }: Confirmation, io: Io): Promise<boolean> {
  if (yes === undefined && !canAsk(io, mayAsk)) return false;
  const given = yes ?? (await ask(io, `${plan}Type ${cluster} to go on: `));
  if (given === cluster) return true;
  throw fail({
    code: 'not-confirmed',
    what: given === '' ? 'not confirmed' : `"${given}" is not the cluster's name`,
    where: yes === undefined ? 'stdin' : '--yes',
    fix: `--yes ${cluster}`,
  });
}

const canAsk = ({ stdin, stderr, env }: Io, mayAsk: boolean): boolean =>
  mayAsk && stdin.isTTY === true && stderr.isTTY === true && !env.CI;

async function ask({ stdin, stderr }: Io, question: string): Promise<string> {
  const output = new Writable({
    write(chunk, _, done) {
      stderr.write(String(chunk));
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: false });
  try {
    return (await lines.question(escapeControls(question))).trim();
  } finally {
    lines.close();
  }
}
