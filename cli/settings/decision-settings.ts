import { parse } from 'yaml';
import { readDecisionSettings } from '../../shared/api/decision-settings.ts';
import type { DecisionSettings } from '../../shared/model/settings.ts';
import { CliError } from '../errors.ts';
import type { Io } from '../terminal/io.ts';

/**
 * @throws CliError - `bad-value`, one for each wrong variable
 */
export function readCliDecisionSettings(env: Io['env']): DecisionSettings {
  const reading = readDecisionSettings(env, parse);
  if (reading.outcome === 'read') return reading.settings;
  throw new CliError(
    reading.problems.map(({ variable, why }) => ({
      code: 'bad-value',
      what: `${variable} cannot be read`,
      where: 'environment',
      why,
      fix: `correct or unset ${variable}; docs/reference/settings.md has its values`,
    })),
  );
}
