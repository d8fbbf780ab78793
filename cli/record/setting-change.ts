import { fail } from '../errors.ts';

/** One `--set FIELD=VALUE`. */
export interface SettingChange {
  /** For example `perNodeHourlyUsd` or `gates.SpotToSpotConsolidation`. */
  readonly field: string;
  readonly value: string;
}

/** @throws CliError - `bad-value` */
export function parseSettingChange(text: string): SettingChange {
  const at = text.indexOf('=');
  if (at > 0) return { field: text.slice(0, at), value: text.slice(at + 1) };
  throw fail({
    code: 'bad-value',
    what: `--set ${text} has no value`,
    where: '--set',
    fix: 'FIELD=VALUE, for example perNodeHourlyUsd=0.03',
  });
}
