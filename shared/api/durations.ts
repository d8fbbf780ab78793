import * as z from 'zod';
import { DURATION, NILLABLE_DURATION } from '../model/duration.ts';
import { quoted, type Refusal } from './finding.ts';
import { meantDuration } from './objects/meant-duration.ts';
import { refuse } from './read-with-schema.ts';

const durationOf = (pattern: RegExp, grammar: string) =>
  z.string().superRefine((text, ctx) => {
    if (!pattern.test(text)) refuse(ctx, badDuration(text, pattern, grammar));
  });

const WHOLE = 'whole hours, minutes and seconds like 30s or 1h30m';

/** `30s`, `1h30m`; kept as written. */
export const durationSchema = durationOf(DURATION, `allowed are ${WHOLE}`);
/** A duration or `Never`; kept as written. */
export const nillableDurationSchema = durationOf(
  NILLABLE_DURATION,
  `allowed are ${WHOLE}, and Never`,
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
