import { describe, expect, it } from 'vitest';
import { createDryPorts } from '../../../cli/controller/dry-ports.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { NOON } from '../../support/builders.ts';
import { aControllerRuntimeDouble } from './controller-runtime-double.ts';

async function realPorts(): Promise<Ports> {
  const { ports } = (await aControllerRuntimeDouble()).runtime('shadow');
  return { ...ports, queue: { send: async () => {} } };
}

describe('the ports of a dry run', () => {
  it('have the settings and the caps of the operator', async () => {
    const ports = await realPorts();
    const settings = { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' } as const;
    const launchCaps = { launchesPerMinute: 7, hourlyUsd: 3 };

    expect(await createDryPorts({ ...ports, settings, launchCaps }, () => {})).toMatchObject({
      settings,
      launchCaps,
    });
  });

  it('start with the backoffs and the stopped rollouts, and leave the real ones unchanged', async () => {
    const ports = await realPorts();
    const backoff = { pool: 'general', failures: 2, until: NOON };
    const rollout = {
      nodeClass: 'default',
      version: '1',
      claim: 'general-1',
      why: 'late',
      at: NOON,
    };
    await ports.poolBackoffs.save('launch', backoff);
    await ports.rollouts.stop(rollout);
    const copy = await createDryPorts(ports, () => {});
    expect(await copy.poolBackoffs.list('launch')).toEqual([backoff]);
    expect(await copy.rollouts.list()).toEqual([rollout]);

    await copy.poolBackoffs.remove('launch', 'general');
    expect(await ports.poolBackoffs.list('launch')).toEqual([backoff]);
  });

  it('have the zones that the cluster is shifted away from', async () => {
    const ports = await realPorts();
    const shifted = [{ zone: 'us-east-1a', zoneId: 'use1-az1', until: NOON }];
    const zonalShifts = { list: async () => shifted, replace: async () => shifted };
    const copy = await createDryPorts({ ...ports, zonalShifts }, () => {});

    expect(await copy.zonalShifts?.list(NOON)).toEqual(shifted);
  });
});
