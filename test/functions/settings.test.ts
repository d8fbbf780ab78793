import { describe, expect, it } from 'vitest';
import { readIntakeSettings, readWorkerSettings } from '../../functions/support/settings.ts';
import { INTAKE_ENVIRONMENT, TOKEN, WORKER_ENVIRONMENT } from './fixture.ts';

describe('settings of a function', () => {
  it('come from its environment', () => {
    const { queues, ...settings } = readWorkerSettings(WORKER_ENVIRONMENT);

    expect(queues.plan).toBe(WORKER_ENVIRONMENT.PLAN_QUEUE);
    expect(settings).toEqual({
      cluster: 'demo',
      region: 'us-east-1',
      endpoint: WORKER_ENVIRONMENT.CLUSTER_ENDPOINT,
      certificateAuthority: '-----BEGIN CERTIFICATE-----',
      table: 'state',
      bucket: 'snapshots',
      launchTemplateId: 'lt-0a1b',
      subnets: [
        { id: 'subnet-0a', zone: 'us-east-1a' },
        { id: 'subnet-0b', zone: 'us-east-1b' },
        { id: 'subnet-0c', zone: 'us-east-1a' },
      ],
      zones: ['us-east-1a', 'us-east-1b'],
    });
  });

  it.each(Object.keys(WORKER_ENVIRONMENT).filter((name) => name !== 'HOOK_TOKENS'))(
    '%s is missed by name',
    (name) => {
      const without = { ...WORKER_ENVIRONMENT, [name]: undefined };
      expect(() => readWorkerSettings(without)).toThrow(name);
    },
  );

  it('all that is missing is told at once', () => {
    const without = { ...INTAKE_ENVIRONMENT, CLUSTER_NAME: '', PLAN_QUEUE: 'plan.fifo' };
    expect(() => readIntakeSettings(without)).toThrow(
      'environment variables are missing or wrong: CLUSTER_NAME, PLAN_QUEUE',
    );
  });

  it('two tokens hold while one replaces the other', () => {
    const both = { ...INTAKE_ENVIRONMENT, HOOK_TOKENS: `old,${TOKEN}` };
    expect(readIntakeSettings(both).tokens).toEqual(['old', TOKEN]);
  });
});
