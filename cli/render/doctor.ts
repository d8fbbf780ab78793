import type { Check } from '../documents/doctor.ts';
import type { Terminal } from '../terminal/terminal.ts';

const TONES = { ok: 'good', warn: 'warn', fail: 'bad', unknown: 'quiet' } as const;
const STATUS_WIDTH = 'unknown'.length;
const GROUP_WIDTH = 'account'.length;

/** Shows one line per check, and a line with the fix below each that needs one. */
export function doctorText(checks: readonly Check[], { paint }: Terminal): string {
  const lines = checks.flatMap(({ status, group, evidence, fix }) => [
    `${paint(TONES[status], status.padEnd(STATUS_WIDTH))}  ${group.padEnd(GROUP_WIDTH)}  ${evidence}`,
    ...(fix === undefined ? [] : [`${' '.repeat(STATUS_WIDTH + 2)}fix: ${fix}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
