import { readDecisionSettings } from '../../shared/api/settings/decision-settings.ts';
import type { DecisionSettings } from '../../shared/model/settings.ts';
import { SettingsError } from './errors.ts';
import type { Environment } from './settings.ts';

// Beside the other settings, for it reads YAML, which the intake has no need of.
/** @throws SettingsError - names every variable that is wrong */
export function readDecisions(environment: Environment): DecisionSettings {
  const result = readDecisionSettings(environment);
  if (result.outcome === 'read') return result.settings;
  throw new SettingsError(result.problems.map(({ variable }) => variable));
}
