import { describe, expect, it } from 'vitest';
import { readDecisions } from '../../functions/support/decision-settings.ts';
import { readIntakeSettings, readWorkerSettings } from '../../functions/support/settings.ts';
import { FIXED_SETTINGS } from '../../shared/api/keys/settings.ts';
import { USUAL_SETTINGS } from '../../shared/model/settings.ts';
import { INTAKE_ENVIRONMENT, WORKER_ENVIRONMENT } from './fixture.ts';

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
    });
  });

  it('what clusters share is in the table that is named', () => {
    const sharing = readWorkerSettings({ ...WORKER_ENVIRONMENT, LEARNED_TABLE: 'learned' });

    expect(sharing.learnedTable).toBe('learned');
  });

  it('D42: IAM is called unless the environment says that it is out of reach', () => {
    const isolated = (ISOLATED_VPC: string) =>
      readWorkerSettings({ ...WORKER_ENVIRONMENT, ISOLATED_VPC }).isIsolated;

    expect(isolated('true')).toBe(true);
    expect(isolated('false')).toBeUndefined();
    expect(() => isolated('yes')).toThrow('ISOLATED_VPC');
  });

  /** Of the intake alone. */
  const INTAKES = ['HOOK_DIGESTS', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

  it.each(Object.keys(WORKER_ENVIRONMENT).filter((name) => !INTAKES.includes(name)))(
    '%s is missed by name',
    (name) => {
      const without = { ...WORKER_ENVIRONMENT, [name]: undefined };
      expect(() => readWorkerSettings(without)).toThrow(name);
    },
  );

  it('all that is missing is told at once', () => {
    const without = { ...INTAKE_ENVIRONMENT, CLUSTER_NAME: '', PLAN_QUEUE: 'plan.fifo' };
    expect(() => readIntakeSettings(without)).toThrow(
      'environment variables are missing or wrong: PLAN_QUEUE, CLUSTER_NAME',
    );
  });

  it('decisions are made as usual, unless the environment says otherwise', () => {
    expect(readDecisions(WORKER_ENVIRONMENT)).toEqual(USUAL_SETTINGS);
    expect(readDecisions({ PREFERENCE_POLICY: 'Ignore' }).preferencePolicy).toBe('Ignore');
    expect(() => readDecisions({ FEATURE_GATES: 'A', MIN_VALUES_POLICY: 'B' })).toThrow(
      'FEATURE_GATES, MIN_VALUES_POLICY',
    );
  });

  it.each([
    ['no cluster', { CLUSTER_NAME: '' }, 'CLUSTER_NAME'],
    ['an endpoint without a scheme', { CLUSTER_ENDPOINT: 'api.example.com' }, 'CLUSTER_ENDPOINT'],
    ['a negative share', { VM_MEMORY_OVERHEAD_PERCENT: '-0.1' }, 'VM_MEMORY_OVERHEAD_PERCENT'],
    ['a negative number', { RESERVED_ENIS: '-1' }, 'RESERVED_ENIS'],
  ])('N20: are refused with %s', (_, over, name) => {
    const environment = { ...WORKER_ENVIRONMENT, ...over };

    expect(() => [readWorkerSettings(environment), readDecisions(environment)]).toThrow(name);
  });

  it('N20: say nothing of how often classes are resolved, so that it cannot be too often', () => {
    const fixed = FIXED_SETTINGS.map(({ name }) => name);

    expect(fixed).toContain('AMI_REFRESH_INTERVAL');
    expect(fixed).toContain('SUBNET_REFRESH_INTERVAL');
  });

  it('a local AWS is found as the SDK finds it', () => {
    const endpointOf = (over: Readonly<Record<string, string>>) =>
      readIntakeSettings({ ...INTAKE_ENVIRONMENT, ...over }).sender.endpoint;
    const [all, own] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];

    expect(endpointOf({})).toBeUndefined();
    expect(endpointOf({ AWS_ENDPOINT_URL: all })).toBe(all);
    expect(endpointOf({ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_SQS: own })).toBe(own);
  });

  it('two tokens open while one replaces the other, and none before the cluster is set up', () => {
    const digestsOf = (HOOK_DIGESTS: string) =>
      readIntakeSettings({ ...INTAKE_ENVIRONMENT, HOOK_DIGESTS }).digests;

    expect(digestsOf('old,new')).toEqual(['old', 'new']);
    expect(digestsOf('')).toEqual([]);
  });
});
