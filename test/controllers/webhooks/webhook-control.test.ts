import { describe, expect, it } from 'vitest';
import {
  disableHooks,
  keepHooks,
  probeHooks,
  restoreHooks,
} from '../../../shared/controllers/webhooks/webhook-control.ts';
import { NOON } from '../../support/builders.ts';
import { aFakeSetup, anInstallation } from './fake-setup.ts';

const WITHDRAWN = { state: 'withdrawn', since: NOON, by: 'breaker', why: 'slow' } as const;

describe('keepHooks', () => {
  it('restores bindings and webhooks', async () => {
    const world = aFakeSetup({ installation: anInstallation() });
    await keepHooks(world.ports);
    expect(world.done).toEqual(['bind', 'admit first', 'place first']);
  });

  it('has the cluster set up again if the installation record was lost', async () => {
    const world = aFakeSetup();
    await keepHooks(world.ports);
    expect(world.done).toEqual(['set up soon']);
  });

  it('restores bindings alone while there are to be no webhooks', async () => {
    const polled = anInstallation({ eventSource: 'poll', hooks: { state: 'none' } });
    for (const installation of [anInstallation({ hooks: WITHDRAWN }), polled]) {
      const world = aFakeSetup({ installation });
      await keepHooks(world.ports);
      expect(world.done).toEqual(['bind']);
    }
  });

  it.each([
    ['an operator uninstalls', anInstallation({ hooks: { ...WITHDRAWN, by: 'operator' } })],
    ['the stack is being deleted', anInstallation({ hooks: { state: 'none' } })],
  ])('does nothing while %s', async (_, installation) => {
    const world = aFakeSetup({ installation });
    await keepHooks(world.ports);
    expect(world.done).toEqual([]);
  });

  it('records that there are other webhooks by now', async () => {
    const world = aFakeSetup({ installation: anInstallation(), hasOtherHooks: true });
    await keepHooks(world.ports);
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

  it.each([
    ['keeps them if a write that calls them is quick', 799, ['probe'], 'placed'],
    ['withdraws them at once if it is slow', 800, ['probe', 'withdraw', 'save'], 'withdrawn'],
  ])('probes webhooks in doubt, and %s', async (_, probeMs, done, state) => {
    const world = aFakeSetup({ installation: anInstallation(), hooks: 'first', probeMs });

    await probeHooks(world.ports);

    expect(world.done).toEqual(done);
    expect(world.installation?.hooks.state).toBe(state);
  });

  it('probes nothing while there are no webhooks', async () => {
    const world = aFakeSetup({ installation: anInstallation({ hooks: WITHDRAWN }) });

    await probeHooks(world.ports);

    expect(world.done).toEqual([]);
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
