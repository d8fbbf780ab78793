import { describe, expect, it } from 'vitest';
import { readIntakeSettings } from '../../functions/event-intake/settings.ts';
import { readDecisions } from '../../functions/support/decision-settings.ts';
import { readWorkerSettings } from '../../functions/support/worker-settings.ts';
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { FIXED_SETTINGS } from '../../shared/settings/all-settings.ts';
import { INTAKE_ENVIRONMENT, WORKER_ENVIRONMENT } from './fixture.ts';

describe('the settings of a function', () => {
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

  it('name the table of learned facts that clusters share', () => {
    const sharing = readWorkerSettings({ ...WORKER_ENVIRONMENT, LEARNED_TABLE: 'learned' });

    expect(sharing.learnedTable).toBe('learned');
  });

  it('call IAM unless the environment says that it cannot be reached', () => {
    const isolated = (ISOLATED_VPC: string) => readWorkerSettings({ ...WORKER_ENVIRONMENT, ISOLATED_VPC }).isIsolated;

    expect(isolated('true')).toBe(true);
    expect(isolated('false')).toBeUndefined();
    expect(() => isolated('yes')).toThrow('ISOLATED_VPC');
  });

  /** Variables of the intake only. */
  const INTAKES = ['HOOK_DIGESTS', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

  it.each(Object.keys(WORKER_ENVIRONMENT).filter((name) => !INTAKES.includes(name)))(
    'name %s if it is missing',
    (name) => {
      const without = { ...WORKER_ENVIRONMENT, [name]: undefined };
      expect(() => readWorkerSettings(without)).toThrow(name);
    },
  );

  it('name all missing variables at once', () => {
    const without = { ...INTAKE_ENVIRONMENT, CLUSTER_NAME: '', PLAN_QUEUE: 'plan.fifo' };
    expect(() => readIntakeSettings(without)).toThrow(
      'environment variables are missing or wrong: PLAN_QUEUE, CLUSTER_NAME',
    );
  });

  it('use the default decision settings unless the environment changes them', () => {
    expect(readDecisions(WORKER_ENVIRONMENT)).toEqual(DEFAULT_SETTINGS);
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
  ])('are rejected with %s', (_, over, name) => {
    const environment = { ...WORKER_ENVIRONMENT, ...over };

    expect(() => [readWorkerSettings(environment), readDecisions(environment)]).toThrow(name);
  });

  it('have no setting for the interval of class resolution, which could then be too short', () => {
    const fixed = FIXED_SETTINGS.map(({ variable }) => variable);

    expect(fixed).toContain('AMI_REFRESH_INTERVAL');
    expect(fixed).toContain('SUBNET_REFRESH_INTERVAL');
  });

  it("find a local AWS by the SDK's variables", () => {
    const endpointOf = (over: Readonly<Record<string, string>>) =>
      readIntakeSettings({ ...INTAKE_ENVIRONMENT, ...over }).sender.endpoint;
    const [all, own] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];

    expect(endpointOf({})).toBeUndefined();
    expect(endpointOf({ AWS_ENDPOINT_URL: all })).toBe(all);
    expect(endpointOf({ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_SQS: own })).toBe(own);
  });

  it('accept two tokens during a rotation, and none before the cluster is set up', () => {
    const digestsOf = (HOOK_DIGESTS: string) => readIntakeSettings({ ...INTAKE_ENVIRONMENT, HOOK_DIGESTS }).digests;

    expect(digestsOf('old,new')).toEqual(['old', 'new']);
    expect(digestsOf('')).toEqual([]);
  });
});
