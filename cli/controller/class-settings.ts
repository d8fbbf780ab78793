import type { HomeSettings } from '../../shared/composition/settings.ts';
import { CliError, type Problem } from '../errors.ts';
import { choiceFor } from '../flags.ts';

const ANSWERS = ['true', 'false'] as const;

/**
 * What of AWS may be asked for EC2NodeClasses.
 *
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function classSettingsOf(
  env: Readonly<Record<string, string | undefined>>,
): Pick<HomeSettings, 'isIsolated' | 'isDryRunOff'> {
  const problems: Problem[] = [];
  const isTrue = (name: string): boolean => {
    try {
      return choiceFor(name, ANSWERS)(env[name] || 'false') === 'true';
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(...error.problems);
      return false;
    }
  };
  const settings = { isIsolated: isTrue('ISOLATED_VPC'), isDryRunOff: isTrue('DISABLE_DRY_RUN') };
  if (problems.length > 0) throw new CliError(problems);
  return settings;
}
