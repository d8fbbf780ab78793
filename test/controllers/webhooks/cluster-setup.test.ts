import { describe, expect, it } from 'vitest';
import {
  disableHooks,
  removeCluster,
  repairSetup,
  restoreHooks,
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

describe('repairSetup', () => {
  it('restores what was removed', async () => {
    const world = aFakeSetup({ installation: anInstallation() });
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual(['apply', 'admit first', 'place first']);
  });

  it('sets the cluster up again if the installation record was lost', async () => {
    const world = aFakeSetup();
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual(['apply', 'admit first', 'place first', 'save', 'sweep soon']);
    expect(world.installation).toMatchObject({ eventSource: 'hook', hooks: { state: 'placed' } });
  });

  it('applies all but the webhooks while there are to be none', async () => {
    const polled = anInstallation({ eventSource: 'poll', hooks: { state: 'none' } });
    for (const installation of [anInstallation({ hooks: WITHDRAWN }), polled]) {
      const world = aFakeSetup({ installation });
      await repairSetup(world.ports, OPTIONS);
      expect(world.done).toEqual(['apply']);
    }
  });

  it.each([
    ['an operator uninstalls', anInstallation({ hooks: { ...WITHDRAWN, by: 'operator' } })],
    ['the stack is being deleted', anInstallation({ hooks: { state: 'none' } })],
  ])('does nothing while %s', async (_, installation) => {
    const world = aFakeSetup({ installation });
    await repairSetup(world.ports, OPTIONS);
    expect(world.done).toEqual([]);
  });

  it('records that there are other webhooks by now', async () => {
    const world = aFakeSetup({ installation: anInstallation(), hasOtherHooks: true });
    await repairSetup(world.ports, OPTIONS);
    expect(world.installation).toEqual(anInstallation({ hasOtherHooks: true }));
  });
});

describe('the circuit breaker', () => {
  it('withdraws the webhooks and records the reason', async () => {
    const world = aFakeSetup({ installation: anInstallation(), hooks: 'first' });

    await disableHooks(world.ports, { by: 'breaker', why: 'slow' });

    expect(world.hooks).toBeUndefined();
    expect(world.installation).toEqual(anInstallation({ hooks: WITHDRAWN }));
  });

  it('restores them, probes a write, and keeps them', async () => {
    const world = aFakeSetup({ installation: anInstallation({ hooks: WITHDRAWN }) });

    await restoreHooks(world.ports);

    expect(world.done).toEqual(['admit first', 'place first', 'sleep 10000', 'probe', 'save']);
    expect(world.installation?.hooks).toEqual({ state: 'placed', since: NOON + 10_000 });
  });

  it('withdraws them again at once if the write is slow', async () => {
    const world = aFakeSetup({
      installation: anInstallation({ hooks: WITHDRAWN }),
      probeMs: 1_012.4,
    });

    await restoreHooks(world.ports);

    expect(world.hooks).toBeUndefined();
    expect(world.installation?.hooks).toEqual({
      state: 'withdrawn',
      since: NOON + 10_000,
      by: 'breaker',
      why: 'a probe took 1012 ms',
    });
  });

  it('restores nothing that was not withdrawn', async () => {
    const world = aFakeSetup({ installation: anInstallation() });
    await restoreHooks(world.ports);
    expect(world.done).toEqual([]);
  });
});

describe('removeCluster', () => {
  it('records that there are no webhooks', async () => {
    const world = aFakeSetup({ installation: anInstallation({ eventSource: 'poll' }) });

    await removeCluster(world.ports);

    expect(world.done).toEqual(['remove', 'save']);
    expect(world.installation?.hooks).toEqual({ state: 'none' });
  });
});
