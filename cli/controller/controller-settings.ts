import { setTimeout as sleep } from 'node:timers/promises';
import {
  DEFAULT_SETTINGS,
  type ProvisioningSettings,
} from '../../shared/controllers/provisioning/observe-batch.ts';
import { CliError, type KnownProblem, type Problem } from '../errors.ts';
import { choiceFor, durationFor, wholeNumberFor } from '../flags.ts';

/** What Karpenter's users set by environment, as far as a process outside the cluster has it. */
export interface ControllerSettings {
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly logLevel: 'info' | 'warn' | 'error';
  /** How long pods that come together are waited for. */
  readonly provisioning: ProvisioningSettings;
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

  const { idleMs, maxMs } = DEFAULT_SETTINGS.window;
  const wait = (name: string, otherwiseMs: number): number =>
    read(name, `${otherwiseMs}ms`, durationFor(name));
  const window = {
    idleMs: wait('BATCH_IDLE_DURATION', idleMs),
    maxMs: wait('BATCH_MAX_DURATION', maxMs),
  };
  const settings = {
    metricsPort: port('METRICS_PORT', '8080'),
    healthPort: port('HEALTH_PROBE_PORT', '8081'),
    logLevel: read('LOG_LEVEL', 'info', choiceFor('LOG_LEVEL', LEVELS)),
  };
  if (window.maxMs < window.idleMs) problems.push(MAX_BELOW_IDLE);
  if (problems.length > 0) throw new CliError(problems);
  // Nothing is logged that is of use to a debugger alone.
  return {
    ...settings,
    logLevel: settings.logLevel === 'error' ? 'error' : 'info',
    provisioning: { ...DEFAULT_SETTINGS, window, wait: sleep },
  };
}

const MAX_BELOW_IDLE: KnownProblem = {
  code: 'bad-value',
  what: 'BATCH_MAX_DURATION is shorter than BATCH_IDLE_DURATION',
  where: 'environment',
  why: 'a batch would close before anybody could know that it is complete',
};
