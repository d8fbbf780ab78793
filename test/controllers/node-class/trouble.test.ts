import { describe, expect, it } from 'vitest';
import { MissingRightError, ProfilePropagationError } from '../../../shared/model/errors.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { anImage, aResolvedClass } from '../../support/node-classes.ts';
import { aClassWorld, conditionOf, reconcile, recordOf } from './class-world.ts';

describe('an API that fails', () => {
  const fail = async (): Promise<never> => {
    throw new Error('RequestLimitExceeded');
  };

  it('leaves the stored resolution as it is, and is retried', async () => {
    const world = aClassWorld();
    await reconcile(world);
    const before = await recordOf(world);
    world.now += 2 * MINUTE_MS;
    world.resources = { subnets: fail };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await recordOf(world)).toEqual({ ...before, resolvedAt: world.now });
  });

  it('leaves a new class unknown, not refused', async () => {
    const world = aClassWorld();
    world.resources = { instanceProfile: fail };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await conditionOf(world, 'InstanceProfileReady')).toBe('Unknown/ResolutionFailed');
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('Unknown/DependenciesNotReady');
    expect(await conditionOf(world, 'Ready')).toBe('Unknown/ReconcilingDependents');
  });
});

describe('a missing right', () => {
  it('refuses the class with the right and what gives it, and is not retried as a failure', async () => {
    const world = aClassWorld();
    const right = 'ssm:GetParameter on /images/al2023';
    world.resources = {
      images: async () => {
        throw new MissingRightError({ right, fix: 'name it in the option imageParameters' });
      },
    };

    await reconcile(world);

    expect(await conditionOf(world, 'AMIsReady')).toBe('False/AccessDenied');
    expect(JSON.stringify(world.object)).toContain(`no right to ${right}: name it in the option`);
  });
});

describe('a new instance profile that EC2 does not know yet', () => {
  async function aNewClass(knownAfterMs: number) {
    const world = aClassWorld();
    world.resources = {
      dryRunLaunch: async () => {
        if (world.now < NOON + knownAfterMs) throw new ProfilePropagationError('Invalid IAM Instance Profile name');
        return { outcome: 'allowed' };
      },
    };
    return world;
  }

  it('is no error: the class is looked at again after five seconds, and is then ready', async () => {
    const world = await aNewClass(10 * SECOND_MS);

    for (const at of [0, 5, 10].map((seconds) => NOON + seconds * SECOND_MS)) {
      world.now = at;
      await reconcile(world);
    }

    const again = world.sent.filter(({ hint }) => hint.topic === 'class').map(({ at }) => at);
    expect(again).toEqual([NOON + 5 * SECOND_MS, NOON + 10 * SECOND_MS]);
    expect(await conditionOf(world, 'Ready')).toBe('True/Ready');
    expect((await recordOf(world))?.profileUnknownSince).toBeUndefined();
  });

  it('is named by the class meanwhile', async () => {
    const world = await aNewClass(10 * SECOND_MS);
    await reconcile(world);

    const { object } = world;
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('Unknown/ResolutionFailed');
    expect(JSON.stringify(object)).toContain('does not know the new instance profile yet');
  });

  it('is an error after two minutes', async () => {
    const world = await aNewClass(HOUR_MS);
    await reconcile(world);
    world.now += 2 * MINUTE_MS;

    await expect(reconcile(world)).rejects.toThrow('does not know the new instance profile yet');
  });
});

describe('concurrent changes', () => {
  it('resolve a class again that was edited between read and write', async () => {
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

  it('remove the record of a class whose finalizer was removed by force', async () => {
    const world = aClassWorld();
    await world.classes.records.save(aResolvedClass({ name: 'gone', resolvedAt: NOON }));

    await reconcile(world);

    expect((await world.classes.records.list()).map(({ name }) => name)).toEqual(['default']);
  });
});
