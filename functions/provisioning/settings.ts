import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import {
  DEFAULT_PROVISIONING_SETTINGS,
  type ProvisioningSettings,
} from '../../shared/controllers/provisioning/observe-batch.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { SettingsError } from '../support/errors.ts';
import { type Environment, parseSettings } from '../support/settings.ts';

const milliseconds = z.optional(z.string().check(z.regex(/^\d{1,6}$/)));

const schema = z.object({
  BATCH_IDLE_MS: milliseconds,
  BATCH_MAX_MS: milliseconds,
  ANTICIPATE: z.optional(z.enum(['true', 'false'])),
});

/** The pods of a batch are collected inside one invocation, which times out after two minutes. */
const MAX_BATCH_MS = MINUTE_MS;

/**
 * @throws SettingsError - a variable is wrong, or the maximum wait is shorter than the idle wait
 */
export function readProvisioningSettings(environment: Environment): ProvisioningSettings {
  const settings = parseSettings(schema, environment);
  const { BATCH_IDLE_MS, BATCH_MAX_MS, ANTICIPATE } = settings;
  const { window, anticipate } = DEFAULT_PROVISIONING_SETTINGS;
  const idleMs = Number(BATCH_IDLE_MS ?? window.idleMs);
  const maxMs = Number(BATCH_MAX_MS ?? window.maxMs);
  if (maxMs < idleMs || maxMs > MAX_BATCH_MS) throw new SettingsError(['BATCH_MAX_MS']);
  return {
    window: { idleMs, maxMs },
    anticipate: ANTICIPATE === undefined ? anticipate : ANTICIPATE === 'true',
    wait: sleep,
  };
}
