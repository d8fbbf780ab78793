import * as z from 'zod/mini';
import { DEFAULT_TIMING, findInvalidTimings, type HintTiming } from '../../shared/model/settings.ts';
import { SettingsError } from './errors.ts';
import { type Environment, parseSettings } from './settings.ts';

const milliseconds = z.optional(z.string().check(z.regex(/^\d{1,6}$/)));

const timingSchema = z.object({
  HINT_BUCKET_MS: milliseconds,
  POD_MARGIN_MS: milliseconds,
  OBJECT_MARGIN_MS: milliseconds,
});

const VARIABLES: Readonly<Record<keyof HintTiming, keyof z.infer<typeof timingSchema>>> = {
  bucketMs: 'HINT_BUCKET_MS',
  podMarginMs: 'POD_MARGIN_MS',
  objectMarginMs: 'OBJECT_MARGIN_MS',
};

/**
 * @throws SettingsError - a value would lose wake-ups, or delay all pods for seconds
 */
export function readTiming(environment: Environment): HintTiming {
  const settings = parseSettings(timingSchema, environment);
  const read = (name: keyof HintTiming): number => Number(settings[VARIABLES[name]] ?? DEFAULT_TIMING[name]);
  const timing: HintTiming = {
    bucketMs: read('bucketMs'),
    podMarginMs: read('podMarginMs'),
    objectMarginMs: read('objectMarginMs'),
  };
  const bad = findInvalidTimings(timing);
  if (bad.length > 0) throw new SettingsError(bad.map((name) => VARIABLES[name]));
  return timing;
}
