import { parse } from 'yaml';
import type { DecisionSettings } from '../../shared/model/settings.ts';
import { readDecisionSettings } from '../../shared/settings/decision-settings.ts';
import { readSettings, type SettingProblem, type SettingTable, type ValuesOf } from '../../shared/settings/setting.ts';
import { CliError } from '../errors.ts';
import type { Io } from '../terminal/io.ts';

/** @throws CliError - `bad-value`, one for each wrong variable */
export function readCliSettings<const Table extends SettingTable>(table: Table, env: Io['env']): ValuesOf<Table> {
  const { values, problems } = readSettings(table, env, parse);
  if (problems.length > 0) throw toSettingsError(problems);
  return values;
}

/** A simulated cluster gives the right to patch pods if the setting that needs it is given. */
export const mayRankPods = ({ SURPLUS_NODES }: Io['env']): boolean => SURPLUS_NODES === 'TaintAndPodDeletionCost';

/** @throws CliError - `bad-value`, one for each wrong variable */
export function readCliDecisionSettings(env: Io['env']): DecisionSettings {
  const reading = readDecisionSettings(env, parse);
  if (reading.outcome === 'read') return reading.settings;
  throw toSettingsError(reading.problems);
}

export const toSettingsError = (problems: readonly SettingProblem[]): CliError =>
  new CliError(
    problems.map(({ variable, why }) => ({
      code: 'bad-value',
      what: `${variable} cannot be read`,
      where: 'environment',
      why: `it ${why}`,
      fix: `correct or unset ${variable}; docs/reference/settings.md has its values`,
    })),
  );
