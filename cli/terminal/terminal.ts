import { styleText } from 'node:util';
import type { Io, Output } from './io.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

/** The meaning of a colour; a word or symbol always carries the same meaning. */
type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'strong';

const STYLES = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  quiet: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** The capabilities of an output stream. */
export interface Terminal {
  readonly isTty: boolean;
  /** Width in columns; undefined outside of a terminal, where nothing is cut. */
  readonly width?: number;
  readonly rows?: number;
  /** True if lists are never cut. */
  readonly all: boolean;
  paint(tone: Tone, text: string): string;
}

export function terminalOf(
  output: Output,
  env: Io['env'],
  { color = 'auto', all = false }: { color?: ColorChoice; all?: boolean } = {},
): Terminal {
  const colored = hasColor(output, env, color);
  const isTty = output.isTTY ?? false;
  return {
    isTty,
    // A terminal with an unknown size reports 0.
    ...(isTty && output.columns && { width: output.columns }),
    ...(isTty && output.rows && { rows: output.rows }),
    all,
    // The decision is made above; styleText would ask its own stream again.
    paint: (tone, text) => (colored ? styleText(STYLES[tone], text, { validateStream: false }) : text),
  };
}

/** Precedence: the flag, FORCE_COLOR, variables that forbid colour, the terminal. */
function hasColor(output: Output, env: Io['env'], choice: ColorChoice): boolean {
  if (choice !== 'auto') return choice === 'always';
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return output.isTTY ?? false;
}
