import { DAY_MS } from '../../shared/model/time.ts';
import { fail } from '../errors.ts';
import { durationParser } from './flags.ts';

/** Parses RFC 3339, `14:32` (the last such time, local) and `-2h` to milliseconds. */
export const momentParser =
  (flag: string, now: () => number) =>
  (value: string): number => {
    if (value.startsWith('-')) return now() - durationParser(flag)(value.slice(1));
    const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(value) ?? [];
    if (hours !== undefined) {
      const today = new Date(now());
      const at = today.setHours(Number(hours), Number(minutes), 0, 0);
      return at > now() ? at - DAY_MS : at;
    }
    const at = /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    throw fail({
      code: 'bad-value',
      what: `"${value}" is no time`,
      where: flag,
      why: 'written like 2026-11-21T14:32:09Z, 14:32 or -2h',
    });
  };
