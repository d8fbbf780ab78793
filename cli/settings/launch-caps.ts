import { toLaunchCaps } from '../../shared/controllers/provisioning/launch-caps.ts';
import type { LaunchCaps } from '../../shared/ports/decision-log.ts';
import { wholeNumberParser } from '../arguments/flags.ts';
import { CliError, type Problem } from '../errors.ts';
import type { Io } from '../terminal/io.ts';

const MAX_CAP = 9_999_999;
const VARIABLES = {
  LAUNCHES_PER_MINUTE: 'launchesPerMinute',
  MAX_HOURLY_USD: 'hourlyUsd',
  MAX_NODES: 'maxNodes',
} as const satisfies Readonly<Record<string, keyof LaunchCaps>>;

/**
 * Reads the caps on the launches of the cluster from the environment.
 *
 * @param fallback - if no variable is set
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function readCliLaunchCaps(env: Io['env'], fallback: LaunchCaps = toLaunchCaps({})): LaunchCaps {
  const problems: Problem[] = [];
  const explicit: { -readonly [K in keyof LaunchCaps]?: LaunchCaps[K] } = {};
  for (const [variable, cap] of Object.entries(VARIABLES)) {
    const text = env[variable];
    if (!text) continue;
    try {
      explicit[cap] = wholeNumberParser(variable, 1, MAX_CAP)(text);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new CliError(problems);
  return Object.keys(explicit).length === 0 ? fallback : { ...fallback, ...toLaunchCaps(explicit) };
}
