import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { ZONES } from '../../support/builders.ts';
import { anImage, aReservation, aResolvedClass, aWrittenClass, CLUSTER_FACTS } from '../../support/node-classes.ts';
import { aClassWorld, conditionOf, FINALIZER, reconcile, recordOf } from './class-world.ts';

describe('a class whose selectors match', () => {
  it('is ready, and its resolution is stored for launches', async () => {
    const world = aClassWorld();

    await reconcile(world);

    const types = [
      'AMIsReady',
      'CapacityReservationsReady',
      'PlacementGroupReady',
      'SubnetsReady',
      'SecurityGroupsReady',
      'InstanceProfileReady',
      'ValidationSucceeded',
      'Ready',
    ];
    expect(await recordOf(world)).toEqual({
      ...aResolvedClass({ images: [anImage()] }),
      conditions: types.map((type) => ({ type, status: 'True', reason: type, message: '' })),
    });
    expect(world.object).toMatchObject({ observedGeneration: 1 });
    const shown = world.object?.conditions.map(({ type }) => type);
    expect(shown).toEqual([...types, 'RolloutHealthy']);
  });

  it('keeps its instance profile in the sweep', async () => {
    const world = aClassWorld();

    await reconcile(world);

    expect([...world.current]).toEqual(['demo-profile']);
  });

  it('gets our finalizer, and its hash with our version', async () => {
    const world = aClassWorld({ finalizers: ['somebody.else/finalizer'] });

    await reconcile(world);

    const { finalizers, annotations } = world.object ?? {};
    expect(finalizers).toEqual(['somebody.else/finalizer', FINALIZER]);
    expect(annotations?.['karpenter.k8s.aws/ec2nodeclass-hash']).toMatch(/^[0-9a-f]{16}$/);
    expect(annotations?.['karpenter.k8s.aws/ec2nodeclass-hash-version']).toBe('s1');
  });

  it('requests a plan once when it becomes ready', async () => {
    const world = aClassWorld();

    await reconcile(world);
    world.now += 2 * MINUTE_MS;
    await reconcile(world);

    expect(world.sent.map(({ hint }) => hint)).toEqual([{ topic: 'plan' }]);
  });

  it('is not resolved again within a minute, unless it was edited', async () => {
    const world = aClassWorld();
    await reconcile(world);
    const once = world.looks;

    await reconcile(world);
    expect(world.looks).toBe(once);

    world.object = world.object && { ...world.object, generation: 2 };
    await reconcile(world);
    expect(world.looks).toBe(once + 1);

    world.now += MINUTE_MS;
    await reconcile(world);
    expect(world.looks).toBe(once + 2);
  });
});

describe('a class that was edited', () => {
  it('resolves to what its new selector matches', async () => {
    const spec = (team: string) => {
      const written = aWrittenClass({ subnetSelectorTerms: [{ tags: { team } }] });
      return { outcome: 'read', written } as const;
    };
    const world = aClassWorld({ spec: spec('a') });
    world.resources = {
      subnets: async ([term]) => [{ id: `subnet-of-${term?.tags?.team}`, zone: ZONES[0], freeAddresses: 9 }],
    };
    const subnets = async () => (await recordOf(world))?.subnets.map(({ id }) => id);
    await reconcile(world);
    expect(await subnets()).toEqual(['subnet-of-a']);

    world.object = world.object && { ...world.object, spec: spec('b'), generation: 2 };
    await reconcile(world);

    expect(await subnets()).toEqual(['subnet-of-b']);
  });
});

describe('a class that lacks something', () => {
  it.each([
    ['subnets', { subnets: async () => [] }, 'SubnetsReady', 'False/SubnetsNotFound'],
    ['security groups', { securityGroups: async () => [] }, 'SecurityGroupsReady', 'False/SecurityGroupsNotFound'],
    ['images', { images: async () => [] }, 'AMIsReady', 'False/AMINotFound'],
  ] as const)('has no %s, shows so, and is not ready', async (_, resources, type, says) => {
    const world = aClassWorld();
    world.resources = resources;

    await reconcile(world);

    expect(await conditionOf(world, type)).toBe(says);
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('False/DependenciesNotReady');
    expect(await conditionOf(world, 'Ready')).toBe('False/UnhealthyDependents');
  });

  it.each([
    ['al2@latest', '1.33', 'False/UnsupportedAlias'],
    ['al2@latest', '1.34', 'False/UnsupportedAlias'],
    ['al2@latest', '1.32', 'True/AMIsReady'],
  ])('resolves %s on Kubernetes %s: %s', async (alias, version, says) => {
    const written = aWrittenClass({ amiSelectorTerms: [{ alias }] });
    const world = aClassWorld({ spec: { outcome: 'read', written } });
    world.facts = { ...CLUSTER_FACTS, version };

    await reconcile(world);

    expect(await conditionOf(world, 'AMIsReady')).toBe(says);
  });

  it('shows what to do if it has a role but IAM is out of reach', async () => {
    const world = aClassWorld();
    world.resources = { instanceProfile: async () => undefined };

    await reconcile(world);

    expect(await conditionOf(world, 'InstanceProfileReady')).toBe('False/InstanceProfileNotFound');
    expect(await conditionOf(world, 'Ready')).toBe('False/UnhealthyDependents');
  });

  it('needs the Service CIDR for AL2023', async () => {
    const world = aClassWorld();
    const { serviceCidr: _, ...facts } = CLUSTER_FACTS;
    world.facts = facts;

    await reconcile(world);

    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('False/ClusterCIDRResolutionFailed');
  });

  it('is not ready if it cannot be read, and nothing is launched from its last resolution', async () => {
    const world = aClassWorld();
    await reconcile(world);
    const spec = { outcome: 'unreadable', why: 'spec.amiSelectorTerms is missing' } as const;
    world.object = world.object && { ...world.object, spec, generation: 2 };

    await reconcile(world);

    expect(await recordOf(world)).toBeUndefined();
    expect(world.object?.conditions).toMatchObject([
      { type: 'ValidationSucceeded', status: 'False', message: spec.why },
      { type: 'Ready', status: 'False' },
    ]);
  });
});

describe('a class with a placement group', () => {
  const selecting = () => aWrittenClass({ placementGroupSelector: { name: 'rack' } });
  const rack = { id: 'pg-1', name: 'rack', strategy: 'spread' } as const;

  it('is not ready while the group is missing, and ready once it names none', async () => {
    const world = aClassWorld({ spec: { outcome: 'read', written: selecting() } });

    await reconcile(world);
    expect(await conditionOf(world, 'PlacementGroupReady')).toBe('False/PlacementGroupNotFound');

    const spec = { outcome: 'read', written: aWrittenClass() } as const;
    world.object = world.object && { ...world.object, spec, generation: 2 };
    await reconcile(world);
    expect(await conditionOf(world, 'PlacementGroupReady')).toBe('True/PlacementGroupReady');
    expect((await recordOf(world))?.placementGroup).toBeUndefined();
  });

  it('keeps the last group while EC2 does not answer', async () => {
    const world = aClassWorld({ spec: { outcome: 'read', written: selecting() } });
    world.resources = { placementGroup: async () => rack };
    await reconcile(world);
    world.now += 2 * MINUTE_MS;
    world.resources = { placementGroup: () => Promise.reject(new Error('RequestLimitExceeded')) };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect((await recordOf(world))?.placementGroup).toEqual(rack);
    expect(await conditionOf(world, 'Ready')).toBe('True/Ready');
  });

  it('is unknown while the group was never looked up', async () => {
    const world = aClassWorld({ spec: { outcome: 'read', written: selecting() } });
    world.resources = { placementGroup: () => Promise.reject(new Error('RequestLimitExceeded')) };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await conditionOf(world, 'PlacementGroupReady')).toBe('Unknown/PlacementGroupResolutionFailed');
  });
});

describe('a class with capacity reservations', () => {
  it('stores them for launches and for its status', async () => {
    const terms = [{ tags: { team: 'a' } }];
    const written = aWrittenClass({ capacityReservationSelectorTerms: terms });
    const world = aClassWorld({ spec: { outcome: 'read', written } });
    const reservations = [aReservation()];
    world.resources = { reservations: async () => reservations };

    await reconcile(world);

    expect((await recordOf(world))?.reservations).toEqual(reservations);
    expect(await conditionOf(world, 'CapacityReservationsReady')).toBe('True/CapacityReservationsReady');
  });
});

describe('subnets without free addresses', () => {
  it('are named in the status, and leave the class ready while others have some', async () => {
    const world = aClassWorld();
    const [first, ...others] = aResolvedClass().subnets;
    const full = first && { ...first, freeAddresses: 0 };
    world.resources = { subnets: async () => [...others, ...(full ? [full] : [])] };

    await reconcile(world);

    const conditions = (await recordOf(world))?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'SubnetsReady')).toMatchObject({
      status: 'True',
      message: 'Without a free address, and so without new nodes: subnet-a (us-east-1a)',
    });
    expect(await conditionOf(world, 'Ready')).toBe('True/Ready');
  });
});
