import { styleText } from 'node:util';
import type { Io, Output } from './io.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

/** What meaning a colour carries; a word or a symbol always says the same. */
type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'strong';

const STYLES = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  quiet: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** How text may look where it goes. */
export interface Terminal {
  readonly isTty: boolean;
  /** Columns; absent off a terminal, where nothing is cut. */
  readonly width?: number;
  readonly rows?: number;
  /** Lists uncut. */
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
    // A terminal that does not know its size says 0.
    ...(isTty && output.columns ? { width: output.columns } : {}),
    ...(isTty && output.rows ? { rows: output.rows } : {}),
    all,
    // The decision is made above; styleText would ask its own stream again.
    paint: (tone, text) =>
      colored ? styleText(STYLES[tone], text, { validateStream: false }) : text,
  };
}

/** The flag decides, then FORCE_COLOR, then what the environment forbids, then the terminal. */
function hasColor(output: Output, env: Io['env'], choice: ColorChoice): boolean {
  if (choice !== 'auto') return choice === 'always';
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return output.isTTY ?? false;
}
