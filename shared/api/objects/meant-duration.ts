import { formatShortDuration, parseGoDuration } from '../../model/duration.ts';
import { DAY_MS } from '../../model/time.ts';

/** What the API would say for `1d`, `1.5h`, `90 min` or `never`. */
export function meantDuration(text: string): string | undefined {
  if (text.toLowerCase() === 'never') return 'Never';
  const days = /^(\d+)d$/.exec(text);
  const ms = days ? Number(days[1]) * DAY_MS : parseGoDuration(text.replaceAll(' ', ''));
  return ms !== undefined && ms > 0 ? formatShortDuration(ms) : undefined;
}
