import { describe, expect, it } from 'vitest';
import {
  removeCluster,
  repairSetup,
  type SetupOptions,
  SetupRefusedError,
  setUpCluster,
} from '../../../shared/controllers/webhooks/cluster-setup.ts';
import { NOON } from '../../support/builders.ts';
import { memoryShiftSource } from '../../support/memory-shift-source.ts';
import { aFakeSetup, anInstallation } from './fake-setup.ts';

const OPTIONS: SetupOptions = {
  release: '0.1.0',
  requestedSource: 'auto',
  isInVpc: false,
  isHookPrivate: false,
};
const WITHDRAWN = { state: 'withdrawn', since: NOON, by: 'breaker', why: 'slow' } as const;

describe('setUpCluster', () => {
  it('applies, admits the token, and only then places the webhooks', async () => {
    const world = aFakeSetup();

    await setUpCluster(world.ports, OPTIONS);

    expect(world.done).toEqual(['apply', 'admit first', 'place first', 'save', 'sweep soon']);
    expect(world.installation).toEqual(
      anInstallation({ why: 'Nothing is known against it: the network was not looked at.' }),
    );
  });

  it('withdraws the webhooks for another event source', async () => {
    const world = aFakeSetup({ hooks: 'first', admitted: ['first'] });

    await setUpCluster(world.ports, { ...OPTIONS, requestedSource: 'poll' });

    expect(world.done).toEqual(['apply', 'withdraw', 'save', 'sweep soon']);
    expect(world.installation).toMatchObject({ eventSource: 'poll', hooks: { state: 'none' } });
  });

  it('is refused with the reason before anything is written', async () => {
    const world = aFakeSetup({
      network: { isPublic: true, publicCidrs: ['203.0.113.0/24'], egress: 'aws-managed' },
    });

    const setUp = setUpCluster(world.ports, OPTIONS);
    await expect(setUp).rejects.toThrow(SetupRefusedError);
    await expect(setUp).rejects.toThrow('The API server answers only to 203.0.113.0/24');
    expect(world.done).toEqual([]);
  });

  it('is refused if zonal shifts are to be followed but the cluster is not registered', async () => {
    const world = aFakeSetup();
    const shiftSource = memoryShiftSource();
    const ports = { ...world.ports, shiftSource };
    shiftSource.answer({ outcome: 'not-registered' });
    await expect(setUpCluster(ports, OPTIONS)).rejects.toThrow(
      'The cluster is not registered with ARC zonal shift. Register it (aws eks update-cluster-config',
    );
    expect(world.done).toEqual([]);

    shiftSource.answer({ outcome: 'unknown', why: 'ARC answered 500' });
    await setUpCluster(ports, OPTIONS);
    expect(world.done).not.toEqual([]);
  });

  it('is idempotent', async () => {
    const world = aFakeSetup();
    await setUpCluster(world.ports, OPTIONS);
    const { installation } = world;

    await setUpCluster(world.ports, OPTIONS);

    expect(world.installation).toEqual(installation);
    expect(world.hooks).toBe('first');
  });
});

describe("the set-up's rights as an administrator", () => {
  it('are used and then ended, after everything else was done', async () => {
    const world = aFakeSetup({ administratorSince: NOON - 1_000 });

    await setUpCluster(world.ports, OPTIONS);

    expect(world.done).toEqual([
      'apply as administrator',
      'admit first',
      'place first',
      'save',
      'end uninstall',
      'sweep soon',
      'end administration',
    ]);
  });

  it('remain if the set-up fails, so that the deployment can be repeated', async () => {
    const world = aFakeSetup({ administratorSince: NOON, failsAt: 2 });
    await expect(setUpCluster(world.ports, OPTIONS)).rejects.toThrow('killed');
    expect(world.administratorSince).toBe(NOON);
  });

  it('are left to the deployment under way by the hourly run', async () => {
    const world = aFakeSetup({
      installation: anInstallation(),
      administratorSince: NOON - 15 * 60_000 + 1,
    });
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual(['apply exactly']);
  });

  it('are used and ended by the hourly run if they were left over', async () => {
    const world = aFakeSetup({
      installation: anInstallation(),
      administratorSince: NOON - 15 * 60_000,
    });
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual(['apply as administrator exactly', 'end administration']);
  });
});

describe('repairSetup', () => {
  it('restores what was removed, and removes rules of older releases', async () => {
    const world = aFakeSetup({ installation: anInstallation() });
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual(['apply exactly']);
  });

  it('sets the cluster up again if the installation record was lost', async () => {
    const world = aFakeSetup();
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual(['apply', 'admit first', 'place first', 'save', 'sweep soon']);
    expect(world.installation).toMatchObject({ eventSource: 'hook', hooks: { state: 'placed' } });
  });

  it.each([
    ['an operator uninstalls', anInstallation({ hooks: { ...WITHDRAWN, by: 'operator' } })],
    ['the stack is being deleted', anInstallation({ hooks: { state: 'none' } })],
  ])('does nothing while %s', async (_, installation) => {
    const world = aFakeSetup({ installation });
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual([]);
  });
});

describe('removeCluster', () => {
  it('records that there are no webhooks', async () => {
    const world = aFakeSetup({ installation: anInstallation({ eventSource: 'poll' }) });

    await removeCluster(world.ports);

    expect(world.done).toEqual(['remove', 'save', 'remove identities']);
    expect(world.installation?.hooks).toEqual({ state: 'none' });
  });
});
