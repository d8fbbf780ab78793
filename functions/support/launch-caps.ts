import * as z from 'zod/mini';
import { toLaunchCaps } from '../../shared/controllers/provisioning/launch-caps.ts';
import type { LaunchCaps } from '../../shared/ports/decision-log.ts';
import { type Environment, parseSettings } from './settings.ts';

const cap = z.optional(z.string().check(z.regex(/^[1-9]\d{0,6}$/)));
const schema = z.object({ LAUNCHES_PER_MINUTE: cap, MAX_HOURLY_USD: cap, MAX_NODES: cap });

/** @throws SettingsError - a cap is not a positive whole number */
export function readLaunchCaps(environment: Environment): LaunchCaps {
  const { LAUNCHES_PER_MINUTE, MAX_HOURLY_USD, MAX_NODES } = parseSettings(schema, environment);
  return toLaunchCaps({
    ...(LAUNCHES_PER_MINUTE !== undefined && { launchesPerMinute: Number(LAUNCHES_PER_MINUTE) }),
    ...(MAX_HOURLY_USD !== undefined && { hourlyUsd: Number(MAX_HOURLY_USD) }),
    ...(MAX_NODES !== undefined && { maxNodes: Number(MAX_NODES) }),
  });
}
