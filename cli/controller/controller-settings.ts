import { setTimeout as sleep } from 'node:timers/promises';
import { arcShiftSource } from '../../shared/aws/eks/arc-zonal-shifts.ts';
import type { AwsCredentials } from '../../shared/aws/signed-request.ts';
import type { StackSettings } from '../../shared/composition/settings.ts';
import {
  DEFAULT_PROVISIONING_SETTINGS,
  type ProvisioningSettings,
} from '../../shared/controllers/provisioning/observe-batch.ts';
import type { ShiftSource } from '../../shared/ports/cloud.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { ServerFacts } from '../cluster/find-cluster.ts';
import { CliError, fail, type KnownProblem, type Problem } from '../errors.ts';
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

  const { idleMs, maxMs } = DEFAULT_PROVISIONING_SETTINGS.window;
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
    provisioning: { ...DEFAULT_PROVISIONING_SETTINGS, window, wait: sleep },
  };
}

const MAX_BELOW_IDLE: KnownProblem = {
  code: 'bad-value',
  what: 'BATCH_MAX_DURATION is shorter than BATCH_IDLE_DURATION',
  where: 'environment',
  why: 'a batch would close before anybody could know that it is complete',
};

const ANSWERS = ['true', 'false'] as const;

/**
 * What of AWS may be asked for EC2NodeClasses.
 *
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function classSettingsOf(
  env: Readonly<Record<string, string | undefined>>,
): Pick<StackSettings, 'isIsolated' | 'isDryRunOff'> {
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

interface Environment {
  readonly ENABLE_ZONAL_SHIFT?: string | undefined;
}

/** @throws CliError - `bad-value` */
export const isToFollowShifts = (env: Environment): boolean =>
  choiceFor('ENABLE_ZONAL_SHIFT', ['true', 'false'])(env.ENABLE_ZONAL_SHIFT || 'false') === 'true';

interface Asking {
  readonly clock: Clock;
  readonly credentials: () => Promise<AwsCredentials>;
  /** Absent: that of the region. */
  readonly endpoint?: string;
}

/**
 * Whoever tells of the cluster's zonal shifts, once it has said that there may be any.
 *
 * @throws CliError - `bad-value`, ARC does not have the cluster
 */
export async function registeredShiftSource(
  { cluster, region, clusterArn }: ServerFacts,
  { clock, credentials, endpoint }: Asking,
): Promise<ShiftSource> {
  if (clusterArn === undefined) throw notRegistered(cluster);
  const place = { region, clusterArn, ...(endpoint !== undefined && { endpoint }) };
  const source = arcShiftSource(place, credentials);
  const { outcome } = await source.findShifts(clock.now());
  if (outcome === 'not-registered') throw notRegistered(cluster);
  return source;
}

const notRegistered = (cluster: string): CliError =>
  fail({
    code: 'bad-value',
    what: `cluster ${cluster} is not registered with ARC zonal shift`,
    where: 'ENABLE_ZONAL_SHIFT',
    fix: `aws eks update-cluster-config --name ${cluster} --zonal-shift-config enabled=true, or leave the variable out`,
  });
