import { toLaunchCaps } from '../../shared/controllers/provisioning/launch-caps.ts';
import type { LaunchCaps } from '../../shared/model/settings.ts';
import { CAPS } from '../../shared/settings/tables/limits.ts';
import type { Io } from '../terminal/io.ts';
import { readCliSettings } from './read-settings.ts';

/**
 * Reads the caps on the launches of the cluster from the environment.
 *
 * @param fallback - if no variable is set
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function readCliLaunchCaps(env: Io['env'], fallback: LaunchCaps = toLaunchCaps({})): LaunchCaps {
  const explicit = readCliSettings(CAPS, env);
  const isSet = Object.values(explicit).some((cap) => cap !== undefined);
  return isSet ? { ...fallback, ...toLaunchCaps(explicit) } : fallback;
}
