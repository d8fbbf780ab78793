import { type EpochMs, parseInstant } from './time.ts';

/** Returns the time in an id such as `p-20261121T143209Z-4k7q`; undefined if it has none. */
export function findDecisionTime(id: string): EpochMs | undefined {
  const match = /^[pdc]-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-\w+$/.exec(id);
  if (!match) return undefined;
  const [, year, month, day, hours, minutes, seconds] = match;
  const at = parseInstant(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(at) ? undefined : at;
}
