import { readDecisionSettings } from '../../shared/api/decision-settings.ts';
import type { DecisionSettings } from '../../shared/model/settings.ts';
import { SettingsError } from './errors.ts';
import type { Environment } from './settings.ts';

// Apart from the other settings, because it loads the YAML parser, which the intake does not need.
/** @throws SettingsError - names every variable that is wrong */
export function readDecisions(environment: Environment): DecisionSettings {
  const result = readDecisionSettings(environment);
  if (result.outcome === 'read') return result.settings;
  throw new SettingsError(result.problems.map(({ variable }) => variable));
}
