import { describe, expect, it } from 'vitest';
import { readProvisioningSettings } from '../../functions/provisioning/settings.ts';
import { SettingsError } from '../../functions/support/errors.ts';
import { readTable } from '../../functions/support/settings.ts';
import { toLaunchCaps } from '../../shared/controllers/provisioning/launch-caps.ts';
import type { Environment } from '../../shared/settings/setting.ts';
import { CAPS } from '../../shared/settings/tables/limits.ts';

const wrongIn = (read: () => unknown): readonly string[] => {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) return error.settings;
    throw error;
  }
  return [];
};

describe('the settings of the pod batch', () => {
  it('has a default for everything', () => {
    expect(readProvisioningSettings({})).toMatchObject({
      window: { idleMs: 1_000, maxMs: 10_000 },
      anticipate: true,
    });
  });

  it('can be set', () => {
    const environment = { BATCH_IDLE_DURATION: '500ms', BATCH_MAX_DURATION: '2s', ANTICIPATE: 'false' };

    expect(readProvisioningSettings(environment)).toMatchObject({
      window: { idleMs: 500, maxMs: 2_000 },
      anticipate: false,
    });
  });

  it.each([
    [{ BATCH_IDLE_DURATION: '1' }, 'BATCH_IDLE_DURATION'],
    [{ BATCH_MAX_DURATION: '999ms' }, 'BATCH_MAX_DURATION'],
    [{ BATCH_MAX_DURATION: '60001ms' }, 'BATCH_MAX_DURATION'],
    [{ ANTICIPATE: 'maybe' }, 'ANTICIPATE'],
  ])('are consistent, or rejected: %o', (environment, name) => {
    expect(wrongIn(() => readProvisioningSettings(environment))).toEqual([name]);
  });
});

describe('the launch caps of the functions', () => {
  const readLaunchCaps = (environment: Environment) => toLaunchCaps(readTable(CAPS, environment));

  it('follow the size of the fleet by default', () => {
    expect(readLaunchCaps({})).toEqual({ launchesPerMinute: 1_000, hourlyUsd: 10_000 });
    expect(readLaunchCaps({ LAUNCHES_PER_MINUTE: '50' })).toEqual({
      launchesPerMinute: 50,
      hourlyUsd: 10_000,
    });
  });

  it('are those of the operator, and a cap on the cost replaces the default of maxNodes', () => {
    expect(readLaunchCaps({ MAX_NODES: '7' })).toMatchObject({ maxNodes: 7 });
    expect(readLaunchCaps({ MAX_HOURLY_USD: '20' })).toEqual({
      launchesPerMinute: 1_000,
      hourlyUsd: 20,
      maxNodes: Number.POSITIVE_INFINITY,
    });
    expect(readLaunchCaps({ MAX_HOURLY_USD: '20', MAX_NODES: '7' })).toMatchObject({ maxNodes: 7 });
  });

  it.each([
    [{ LAUNCHES_PER_MINUTE: '0' }, 'LAUNCHES_PER_MINUTE'],
    [{ MAX_HOURLY_USD: '$5' }, 'MAX_HOURLY_USD'],
    [{ MAX_NODES: 'many' }, 'MAX_NODES'],
  ])('are whole numbers, or rejected: %o', (environment, name) => {
    expect(wrongIn(() => readLaunchCaps(environment))).toEqual([name]);
  });
});
