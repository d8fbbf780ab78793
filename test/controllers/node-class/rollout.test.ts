import { describe, expect, it } from 'vitest';
import { computeClassHash } from '../../../shared/api/stored-objects/static-drift.ts';
import { NOON } from '../../support/builders.ts';
import { anImage, aResolvedClass } from '../../support/node-classes.ts';
import { aClassWorld, type ClassWorld, reconcile } from './class-world.ts';

describe('a class whose rollout has stopped', () => {
  const stateOf = async (world: ClassWorld, imageId: string) => {
    await world.ports.rollouts.stop({
      nodeClass: 'default',
      version: `${imageId}/${HASH}`,
      claim: 'general-1',
      why: 'general-1 did not register',
      at: NOON,
    });
    await reconcile(world);
    const { conditions = [] } = world.object ?? {};
    return ['RolloutHealthy', 'Ready'].map((type) => conditions.find((one) => one.type === type)?.status);
  };
  const { written, cluster } = aResolvedClass();
  const HASH = computeClassHash('default', written, cluster.certificateAuthority)?.hash ?? '';

  it('shows so, and can still be launched from', async () => {
    expect(await stateOf(aClassWorld(), anImage().id)).toEqual(['False', 'True']);
  });

  it('shows nothing about an image that it no longer has', async () => {
    expect(await stateOf(aClassWorld(), 'ami-before')).toEqual(['True', 'True']);
  });
});
