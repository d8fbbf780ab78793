import { CliError, type Problem } from '../errors.ts';
import { choiceFor, wholeNumberFor } from '../flags.ts';

/** What Karpenter's users set by environment, as far as a process outside the cluster has it. */
export interface ControllerSettings {
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly logLevel: 'info' | 'warn' | 'error';
}

const LEVELS = ['debug', 'info', 'error'] as const;

/** @throws CliError - `bad-value`, one for each variable that is wrong */
export function controllerSettings(
  env: Readonly<Record<string, string | undefined>>,
): ControllerSettings {
  const problems: Problem[] = [];
  const read = <T>(name: string, otherwise: string, parse: (text: string) => T): T => {
    try {
      return parse(env[name] || otherwise);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(...error.problems);
      return parse(otherwise);
    }
  };
  const port = (name: string, otherwise: string): number =>
    read(name, otherwise, wholeNumberFor(name, 0, 65_535));

  const settings = {
    metricsPort: port('METRICS_PORT', '8080'),
    healthPort: port('HEALTH_PROBE_PORT', '8081'),
    logLevel: read('LOG_LEVEL', 'info', choiceFor('LOG_LEVEL', LEVELS)),
  };
  if (problems.length > 0) throw new CliError(problems);
  // Nothing is logged that is of use to a debugger alone.
  return { ...settings, logLevel: settings.logLevel === 'error' ? 'error' : 'info' };
}
