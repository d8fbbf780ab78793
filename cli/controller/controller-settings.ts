import { setTimeout as sleep } from 'node:timers/promises';
import {
  DEFAULT_PROVISIONING_SETTINGS,
  type ProvisioningSettings,
} from '../../shared/controllers/provisioning/observe-batch.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { readSettings, type ValuesOf } from '../../shared/settings/setting.ts';
import { BATCHES } from '../../shared/settings/tables/batches.ts';
import { DELETED_CLUSTERS } from '../../shared/settings/tables/limits.ts';
import { PROCESS } from '../../shared/settings/tables/process.ts';
import { toSettingsError } from '../settings/read-settings.ts';
import type { Io } from '../terminal/io.ts';

/** Karpenter's settings from the environment, as far as they apply outside the cluster. */
export interface ControllerSettings extends ValuesOf<typeof PROCESS> {
  /** How long the planner waits for more pods of a batch. */
  readonly provisioning: ProvisioningSettings;
  /** How long EKS must not have the cluster until its remains are ended. */
  readonly deletedClusterAfterMs: number;
}

const { idleMs: IDLE, maxMs: MAX } = BATCHES;

/**
 * @throws CliError - `bad-value`, one for each variable that is wrong
 */
export function readControllerSettings(env: Io['env']): ControllerSettings {
  const { values, problems } = readSettings({ ...PROCESS, ...DELETED_CLUSTERS, idleMs: IDLE, maxMs: MAX }, env);
  const { idleMs, maxMs, afterMinutes, ...own } = values;
  const tooShort = { variable: MAX.variable, why: `must not be shorter than ${IDLE.variable}` };
  const all = [...problems, ...(maxMs < idleMs ? [tooShort] : [])];
  if (all.length > 0) throw toSettingsError(all);
  return {
    ...own,
    deletedClusterAfterMs: MINUTE_MS * afterMinutes,
    provisioning: { ...DEFAULT_PROVISIONING_SETTINGS, window: { idleMs, maxMs }, wait: sleep },
  };
}
