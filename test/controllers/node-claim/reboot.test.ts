import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { REBOOTING_TAINT } from '../../../shared/model/requirements/taints.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimOf, providerIdOf } from '../support/fake-ports.ts';

const reboot = { cause: 'AcceleratedHardwareReady/XID48', requestedAt: NOON, drainMs: 0 };

async function rebootingWorld() {
  const world = aFakeWorld();
  await addRunning(world, 'a', { reboots: [reboot] }, { bootId: 'boot-1', taints: [REBOOTING_TAINT] });
  return world;
}

describe('a node that is rebooted', () => {
  it('is drained, and EC2 is called once', async () => {
    const world = await rebootingWorld();
    await reconcileNodeClaim(world.ports, 'a');
    await reconcileNodeClaim(world.ports, 'a');

    expect(world.reboots).toEqual([providerIdOf('a')]);
    expect(await claimOf(world, 'a')).toMatchObject({ reboots: [{ fromBoot: { id: 'boot-1' }, issuedAt: NOON }] });
  });

  it('is replaced at once if EC2 refuses the reboot for good', async () => {
    const world = await rebootingWorld();
    const cloud = {
      ...world.ports.cloud,
      reboot: async (providerId: string) => {
        world.instances.delete(providerId);
        return world.ports.cloud.reboot(providerId);
      },
    };
    await reconcileNodeClaim({ ...world.ports, cloud }, 'a');

    expect(await claimOf(world, 'a')).toMatchObject({ removal: 'Unhealthy', deletingAt: NOON });
    expect(world.events).toMatchObject([{ kind: 'reboot-failed', claim: 'a' }]);
  });

  it('gets another call if EC2 had no answer', async () => {
    const world = await rebootingWorld();
    const cloud = { ...world.ports.cloud, reboot: () => Promise.reject(new Error('no answer')) };
    await expect(reconcileNodeClaim({ ...world.ports, cloud }, 'a')).rejects.toThrow('no answer');
    world.now = NOON + MINUTE_MS;
    await reconcileNodeClaim(world.ports, 'a');

    expect(world.reboots).toEqual([providerIdOf('a')]);
  });
});
