import { type Environment, readSettings, type SettingTable, type ValuesOf } from '../../shared/settings/setting.ts';
import { SettingsError } from './errors.ts';

/** @throws SettingsError - names every variable that is wrong */
export function readTable<const Table extends SettingTable>(table: Table, environment: Environment): ValuesOf<Table> {
  const { values, problems } = readSettings(table, environment);
  if (problems.length > 0) throw new SettingsError(problems.map(({ variable }) => variable));
  return values;
}
