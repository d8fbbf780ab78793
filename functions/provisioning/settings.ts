import { setTimeout as sleep } from 'node:timers/promises';
import type { ProvisioningSettings } from '../../shared/controllers/provisioning/observe-batch.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { Environment } from '../../shared/settings/setting.ts';
import { BATCHES } from '../../shared/settings/tables/batches.ts';
import { SettingsError } from '../support/errors.ts';
import { readTable } from '../support/settings.ts';

/** The pods of a batch are collected inside one invocation, which times out after two minutes. */
const MAX_BATCH_MS = MINUTE_MS;

/**
 * @throws SettingsError - a variable is wrong, or the maximum wait is shorter than the idle wait
 */
export function readProvisioningSettings(environment: Environment): ProvisioningSettings {
  const { idleMs, maxMs, anticipate } = readTable(BATCHES, environment);
  if (maxMs < idleMs || maxMs > MAX_BATCH_MS) throw new SettingsError([BATCHES.maxMs.variable]);
  return { window: { idleMs, maxMs }, anticipate, wait: sleep };
}
