import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { anImage, aResolvedClass } from '../../support/node-classes.ts';
import { aClassWorld, conditionOf, reconcile, recordOf } from './class-world.ts';

describe('an API that fails', () => {
  const fail = async (): Promise<never> => {
    throw new Error('RequestLimitExceeded');
  };

  it('leaves what is known as it is, and is asked again', async () => {
    const world = aClassWorld();
    await reconcile(world);
    const before = await recordOf(world);
    world.now += 2 * MINUTE_MS;
    world.resources = { subnets: fail };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await recordOf(world)).toEqual({ ...before, resolvedAt: world.now });
  });

  it('V1: leaves a new class unknown, not wrong', async () => {
    const world = aClassWorld();
    world.resources = { instanceProfile: fail };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await conditionOf(world, 'InstanceProfileReady')).toBe('Unknown/ResolutionFailed');
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('Unknown/DependenciesNotReady');
    expect(await conditionOf(world, 'Ready')).toBe('Unknown/ReconcilingDependents');
  });
});

describe('what others do meanwhile', () => {
  it('an edit between reading and writing is looked at anew', async () => {
    const world = aClassWorld();
    world.resources = {
      images: async () => {
        world.object = world.object && { ...world.object, resourceVersion: '99' };
        return [anImage()];
      },
    };

    await reconcile(world);

    expect(world.sent.map(({ hint }) => hint)).toContainEqual({ topic: 'class' });
  });

  it('a class that was forced away is launched from no more', async () => {
    const world = aClassWorld();
    await world.classes.records.save(aResolvedClass({ name: 'gone', resolvedAt: NOON }));

    await reconcile(world);

    expect((await world.classes.records.list()).map(({ name }) => name)).toEqual(['default']);
  });
});
