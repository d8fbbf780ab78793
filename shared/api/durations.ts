import * as z from 'zod';
import {
  BUDGET_DURATION,
  DURATION,
  formatShortDuration,
  NILLABLE_DURATION,
  parseGoDuration,
} from '../model/duration.ts';
import { DAY_MS } from '../model/time.ts';
import { quoted, type Refusal } from './finding.ts';
import { refuse } from './read-with-schema.ts';

const durationOf = (pattern: RegExp, grammar: string) =>
  z
    .string()
    .superRefine((text, ctx) => {
      if (!pattern.test(text)) refuse(ctx, badDuration(text, pattern, grammar));
    })
    .meta({ pattern: pattern.source });

const WHOLE = 'whole hours, minutes and seconds like 30s or 1h30m';

/** `30s`, `1h30m`; kept as written. */
export const durationSchema = durationOf(DURATION, `allowed are ${WHOLE}`);
/** A duration or `Never`; kept as written. */
export const nillableDurationSchema = durationOf(
  NILLABLE_DURATION,
  `allowed are ${WHOLE}, and Never`,
);
/** How long a budget's window stays open; kept as written. */
export const budgetDurationSchema = durationOf(
  BUDGET_DURATION,
  'allowed are whole hours and minutes like 10m, 8h or 8h30m',
);

export const badDuration = (text: string, pattern: RegExp, grammar: string): Refusal => {
  const meant = meantDuration(text);
  return {
    code: 'bad-duration',
    what: `${quoted(text)} is no duration`,
    why: grammar,
    fix: meant !== undefined && pattern.test(meant) ? `write ${meant}` : 'write 10m, for example',
  };
};

/** What the API would say for `1d`, `1.5h`, `90 min` or `never`. */
function meantDuration(text: string): string | undefined {
  if (text.toLowerCase() === 'never') return 'Never';
  const days = /^(\d+)d$/.exec(text);
  const ms = days ? Number(days[1]) * DAY_MS : parseGoDuration(text.replaceAll(' ', ''));
  return ms !== undefined && ms > 0 ? formatShortDuration(ms) : undefined;
}
