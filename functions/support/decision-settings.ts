import { readDecisionSettings } from '../../shared/api/decision-settings.ts';
import type { DecisionSettings } from '../../shared/model/settings.ts';
import { SettingsError } from './errors.ts';
import type { Environment } from './settings.ts';

/** @throws SettingsError - names every variable that is wrong */
export function readDecisions(environment: Environment): DecisionSettings {
  const result = readDecisionSettings(environment, JSON.parse);
  if (result.outcome === 'read') return result.settings;
  throw new SettingsError(result.problems.map(({ variable }) => variable));
}
