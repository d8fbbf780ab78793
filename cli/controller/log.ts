import type { Log, LogLine } from '../../shared/aws/log.ts';
import { formatInstant } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Output } from '../terminal/io.ts';

export type LogFormat = 'json' | 'text';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLine['level'][];

/**
 * Writes log lines to stdout.
 *
 * @param minLevel - less severe lines are dropped
 */
export function createLineLog(
  output: Output,
  { clock, format, minLevel }: { clock: Clock; format: LogFormat; minLevel: LogLine['level'] },
): Log {
  const line = format === 'json' ? toJsonLine : toTextLine;
  return (entry) => {
    if (LEVELS.indexOf(entry.level) < LEVELS.indexOf(minLevel)) return;
    output.write(`${line(formatInstant(clock.now()), entry)}\n`);
  };
}

// JSON leaves some characters as they are that a terminal obeys.
const toJsonLine = (time: string, { level, message, fields }: LogLine): string =>
  escapeControls(JSON.stringify({ time, level, message, ...fields }));

function toTextLine(time: string, { level, message, fields }: LogLine): string {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${toText(value)}`);
  const flag = level === 'info' ? '' : `${level}: `;
  const parts = [time, `${flag}${isAmbiguous(message) ? JSON.stringify(message) : message}`];
  return escapeControls([...parts, ...pairs].join(SEPARATOR));
}

const SEPARATOR = '  ';

const toText = (value: unknown): string =>
  typeof value === 'string' && !isAmbiguous(value) ? value : (JSON.stringify(value) ?? '');

/** A value could forge a line with a line break, and a field with the separator or a quote. */
const isAmbiguous = (text: string): boolean => text.includes(SEPARATOR) || /^"|[\p{Cc}\u2028\u2029]/u.test(text);
