import { describe, expect, it } from 'vitest';
import type { NodeSize } from '../../../shared/model/nodes/node-class.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aNodePool } from '../../support/builders.ts';
import { aWrittenClass } from '../../support/node-classes.ts';
import { aClassWorld, type ClassWorld, conditionOf, reconcile, recordOf } from './class-world.ts';

describe('a class with a dry run', () => {
  const refusal = { reason: 'CreateFleetAuthCheckFailed', message: 'no policy allows it' };
  const refusing = (world: ClassWorld) => {
    let dryRuns = 0;
    world.resources = {
      dryRunLaunch: async () => {
        dryRuns += 1;
        return { outcome: 'refused', ...refusal };
      },
    };
    return () => dryRuns;
  };

  it('is not ready if EC2 refuses, and runs the next dry run half an hour later', async () => {
    const world = aClassWorld();
    const dryRuns = refusing(world);

    await reconcile(world);
    world.now += 29 * MINUTE_MS;
    await reconcile(world);
    expect(dryRuns()).toBe(1);
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe(`False/${refusal.reason}`);

    world.resources = { dryRunLaunch: async () => ({ outcome: 'allowed' }) };
    world.now += 2 * MINUTE_MS;
    await reconcile(world);
    expect(await conditionOf(world, 'Ready')).toBe('True/Ready');
  });

  it('runs the dry run at once when an annotation is added', async () => {
    const world = aClassWorld();
    const dryRuns = refusing(world);
    await reconcile(world);
    world.now += 2 * MINUTE_MS;
    const annotations = { ...world.object?.annotations, retry: 'now' };
    world.object = world.object && { ...world.object, annotations };

    await reconcile(world);

    expect(dryRuns()).toBe(2);
  });

  it('runs the dry run again once one of its pools may need dedicated hardware', async () => {
    const world = aClassWorld();
    const dryRuns = refusing(world);
    await reconcile(world);
    world.now += 2 * MINUTE_MS;
    const key = 'karpenter.k8s.aws/instance-tenancy';
    const requirements = [{ key, operator: 'In', values: ['dedicated'] } as const];
    world.pools = [aNodePool({ requirements })];

    await reconcile(world);

    expect(dryRuns()).toBe(2);
  });

  it('runs no dry run while it lacks something', async () => {
    const world = aClassWorld();
    const dryRuns = refusing(world);
    world.resources = { ...world.resources, subnets: async () => [] };

    await reconcile(world);

    expect(dryRuns()).toBe(0);
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('False/DependenciesNotReady');
  });

  it('is ready without a dry run where they are off', async () => {
    const world = aClassWorld();

    await reconcile(world);

    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('True/ValidationSucceeded');
    expect((await recordOf(world))?.lastDryRun).toBeUndefined();
  });

  it('is neither ready nor refused while EC2 gives no verdict', async () => {
    const world = aClassWorld();
    world.resources = { dryRunLaunch: () => Promise.reject(new Error('RequestLimitExceeded')) };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await conditionOf(world, 'Ready')).toBe('Unknown/ReconcilingDependents');
  });
});

describe('a class that computes sizes', () => {
  const computing = (maxPods: string): ClassWorld => {
    const written = aWrittenClass({ kubelet: { maxPods } });
    const world = aClassWorld({ spec: { outcome: 'read', written } });
    world.nodeSizes = [M5_LARGE];
    return world;
  };

  it('is ready if the expressions work for every type', async () => {
    const world = computing('min(110, vcpus * 8)');

    await reconcile(world);

    expect(await conditionOf(world, 'Ready')).toBe('True/Ready');
  });

  it.each(['1 / (vcpus - vcpus)', '0 - 1', '2147483647 + 1'])(
    'is not ready if they fail for some types, and nothing is launched from it: %s',
    async (maxPods) => {
      const world = computing(maxPods);

      await reconcile(world);

      const { conditions = [] } = (await recordOf(world)) ?? {};
      const verdict = conditions.find(({ type }) => type === 'ValidationSucceeded');
      expect(verdict?.reason).toBe('KubeletExpressionEvaluationFailed');
      expect(verdict?.message).toContain('for m5.large');
      expect(await conditionOf(world, 'Ready')).toBe('False/UnhealthyDependents');
    },
  );

  it('is not ready if an expression yields no number', async () => {
    const world = computing('vcpus > 2');

    await reconcile(world);

    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('False/KubeletExpressionInvalid');
  });

  it('is unknown while no type is known, and is resolved again', async () => {
    const world = computing('min(110, vcpus * 8)');
    world.nodeSizes = [];

    await expect(reconcile(world)).rejects.toThrow('no instance type is known yet');

    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('Unknown/ResolutionFailed');
  });

  it('is not ready while the gate is off', async () => {
    const world = computing('min(110, vcpus * 8)');
    world.nodeSizes = undefined;

    await reconcile(world);

    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('False/KubeletExpressionsDisabled');
  });
});

const M5_LARGE: NodeSize = {
  instanceType: 'm5.large',
  vcpus: 2,
  memoryMib: 8192,
  enis: 3,
  ipsPerEni: 10,
  maxPods: 29,
};
