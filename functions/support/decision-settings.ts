import type { DecisionSettings } from '../../shared/model/settings.ts';
import { readDecisionSettings } from '../../shared/settings/decision-settings.ts';
import type { Environment } from '../../shared/settings/setting.ts';
import { SettingsError } from './errors.ts';

/** @throws SettingsError - names every variable that is wrong */
export function readDecisions(environment: Environment): DecisionSettings {
  const result = readDecisionSettings(environment, JSON.parse);
  if (result.outcome === 'read') return result.settings;
  throw new SettingsError(result.problems.map(({ variable }) => variable));
}
