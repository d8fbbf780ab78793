import { parseGoDuration } from '../model/duration.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../model/time.ts';
import type { WrittenContainer } from './containers.ts';

/** How long a simulated pod of the Job runs: a Go duration. */
export const RUN_FOR_ANNOTATION = 'simulation.mortise.sh/run-for';

/** Milliseconds of a duration above zero; absent where `text` is none. */
export function parseRunFor(text: string): number | undefined {
  const ms = parseGoDuration(text);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  '': SECOND_MS,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};
const SLEEP = /^(?:\S*\/)?sleep\s+(\d+(?:\.\d+)?)([smhd]?)$/;
const SHELL = /^(?:\S*\/)?(?:ba|da|a)?sh$/;

/** How long containers run that do nothing but sleep; absent if one does something else. */
export function sleepMs(containers: readonly WrittenContainer[]): number | undefined {
  const all = containers.map(sleepOf);
  return all.every((ms) => ms !== undefined) ? Math.max(...all) : undefined;
}

function sleepOf({ command = [], args = [] }: WrittenContainer): number | undefined {
  const [program = '', flag, ...script] = [...command, ...args];
  const words = SHELL.test(program) && flag === '-c' ? script : [...command, ...args];
  const [, amount, unit = ''] = SLEEP.exec(words.join(' ').trim()) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? SECOND_MS);
}
