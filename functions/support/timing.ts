import { findInvalidTimings, type HintTiming } from '../../shared/model/settings.ts';
import type { Environment } from '../../shared/settings/setting.ts';
import { HINTS } from '../../shared/settings/tables/hints.ts';
import { SettingsError } from './errors.ts';
import { readTable } from './settings.ts';

/**
 * @throws SettingsError - a value would lose wake-ups, or delay all pods for seconds
 */
export function readTiming(environment: Environment): HintTiming {
  const timing = readTable(HINTS, environment);
  const bad = findInvalidTimings(timing);
  if (bad.length > 0) throw new SettingsError(bad.map((name) => HINTS[name].variable));
  return timing;
}
