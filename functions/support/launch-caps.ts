import * as z from 'zod/mini';
import { DEFAULT_LAUNCH_CAPS } from '../../shared/controllers/provisioning/launch-caps.ts';
import type { LaunchCaps } from '../../shared/ports/ports.ts';
import { type Environment, parseSettings } from './settings.ts';

const cap = z.optional(z.string().check(z.regex(/^[1-9]\d{0,6}$/)));
const schema = z.object({ LAUNCHES_PER_MINUTE: cap, MAX_HOURLY_USD: cap });

/** @throws SettingsError - a cap is not a positive whole number */
export function readLaunchCaps(environment: Environment): LaunchCaps {
  const { LAUNCHES_PER_MINUTE, MAX_HOURLY_USD } = parseSettings(schema, environment);
  return {
    launchesPerMinute: Number(LAUNCHES_PER_MINUTE ?? DEFAULT_LAUNCH_CAPS.launchesPerMinute),
    hourlyUsd: Number(MAX_HOURLY_USD ?? DEFAULT_LAUNCH_CAPS.hourlyUsd),
  };
}
