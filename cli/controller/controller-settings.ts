import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSettings } from '../../shared/composition/published-events.ts';
import type { StackSettings } from '../../shared/composition/settings.ts';
import {
  DEFAULT_PROVISIONING_SETTINGS,
  type ProvisioningSettings,
} from '../../shared/controllers/provisioning/observe-batch.ts';
import {
  BUS_PROBLEM,
  DEFAULT_BUS,
  isBusName,
  KINDS_PROBLEM,
  parsePublishedKinds,
} from '../../shared/model/published-events/kinds.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { choiceParser, durationParser, wholeNumberParser } from '../arguments/flags.ts';
import { CliError, type KnownProblem, type Problem } from '../errors.ts';

/** Karpenter's settings from the environment, as far as they apply outside the cluster. */
export interface ControllerSettings {
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly logLevel: 'debug' | 'info' | 'error';
  /** How long the planner waits for more pods of a batch. */
  readonly provisioning: ProvisioningSettings;
  /** How long EKS must not have the cluster until its remains are ended. */
  readonly deletedClusterAfterMs: number;
}

const DELETED_AFTER = 'DELETED_CLUSTER_AFTER_MINUTES';
const LOG_LEVELS = ['debug', 'info', 'error'] as const;

/**
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function readControllerSettings(env: Readonly<Record<string, string | undefined>>): ControllerSettings {
  const problems: Problem[] = [];
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T => {
    try {
      return parse(env[name] || fallback);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(...error.problems);
      return parse(fallback);
    }
  };
  const port = (name: string, fallback: string): number => read(name, fallback, wholeNumberParser(name, 0, 65_535));

  const { idleMs, maxMs } = DEFAULT_PROVISIONING_SETTINGS.window;
  const wait = (name: string, fallbackMs: number): number => read(name, `${fallbackMs}ms`, durationParser(name));
  const window = {
    idleMs: wait('BATCH_IDLE_DURATION', idleMs),
    maxMs: wait('BATCH_MAX_DURATION', maxMs),
  };
  const settings = {
    metricsPort: port('METRICS_PORT', '8080'),
    healthPort: port('HEALTH_PROBE_PORT', '8081'),
    logLevel: read('LOG_LEVEL', 'info', choiceParser('LOG_LEVEL', LOG_LEVELS)),
    deletedClusterAfterMs: MINUTE_MS * read(DELETED_AFTER, '60', wholeNumberParser(DELETED_AFTER, 10, 99_999)),
  };
  if (window.maxMs < window.idleMs) problems.push(MAX_BELOW_IDLE);
  if (problems.length > 0) throw new CliError(problems);
  return {
    ...settings,
    provisioning: { ...DEFAULT_PROVISIONING_SETTINGS, window, wait: sleep },
  };
}

const MAX_BELOW_IDLE: KnownProblem = {
  code: 'bad-value',
  what: 'BATCH_MAX_DURATION is shorter than BATCH_IDLE_DURATION',
  where: 'environment',
  why: 'a batch would close before it can be known to be complete',
};

const BOOLEANS = ['true', 'false'] as const;

/**
 * How EC2NodeClasses may be resolved.
 *
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function readClassSettings(
  env: Readonly<Record<string, string | undefined>>,
): Pick<StackSettings, 'isIsolated' | 'isDryRunOff' | 'volumeKeys'> {
  const problems: Problem[] = [];
  const isTrue = (name: string): boolean => {
    try {
      return choiceParser(name, BOOLEANS)(env[name] || 'false') === 'true';
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(...error.problems);
      return false;
    }
  };
  const settings = {
    isIsolated: isTrue('ISOLATED_VPC'),
    isDryRunOff: isTrue('DISABLE_DRY_RUN'),
    volumeKeys: toList(env.VOLUME_KEYS),
  };
  if (problems.length > 0) throw new CliError(problems);
  return settings;
}

/** The entries of a variable that are separated by commas. */
export const toList = (text = ''): readonly string[] => text.split(',').filter(Boolean);

interface EventVariables {
  readonly EVENT_KINDS?: string | undefined;
  readonly EVENT_BUS?: string | undefined;
}

/**
 * Which events are published on EventBridge.
 *
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function readCliEventSettings({ EVENT_KINDS, EVENT_BUS }: EventVariables): EventSettings {
  const kinds = EVENT_KINDS ? parsePublishedKinds(EVENT_KINDS) : [];
  const bus = EVENT_BUS || DEFAULT_BUS;
  const problems: Problem[] = [];
  if (!kinds) problems.push(toProblem('EVENT_KINDS', KINDS_PROBLEM));
  if (!isBusName(bus)) problems.push(toProblem('EVENT_BUS', BUS_PROBLEM));
  if (!kinds || problems.length > 0) throw new CliError(problems);
  return { kinds, bus };
}

const toProblem = (where: string, what: string): KnownProblem => ({
  code: 'bad-value',
  what: `${where} ${what}`,
  where,
});

interface Environment {
  readonly ENABLE_ZONAL_SHIFT?: string | undefined;
}

/** @throws CliError - `bad-value` */
export const isZonalShiftEnabled = (env: Environment): boolean =>
  choiceParser('ENABLE_ZONAL_SHIFT', ['true', 'false'])(env.ENABLE_ZONAL_SHIFT || 'false') === 'true';
