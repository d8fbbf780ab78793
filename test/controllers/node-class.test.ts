import { describe, expect, it } from 'vitest';
import { classMarks } from '../../shared/api/drift.ts';
import { reconcileNodeClasses } from '../../shared/controllers/node-class.ts';
import { StaleObjectError } from '../../shared/model/errors.ts';
import type { NodeClassCondition } from '../../shared/model/resolved-node-class.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { NodeClassObject, NodeClassStatus } from '../../shared/ports/node-class-objects.ts';
import type { NodeClassResources } from '../../shared/ports/node-class-resources.ts';
import type { ClassPorts } from '../../shared/ports/ports.ts';
import { simNodeClasses } from '../../shared/simulation/node-classes.ts';
import { aNodeClaim, NOON } from '../support/builders.ts';
import {
  aClassObject,
  anImage,
  aReservation,
  aResolvedClass,
  aWrittenClass,
  CLUSTER_FACTS,
} from '../support/node-classes.ts';
import { aFakeWorld, type FakeWorld } from './fake-ports.ts';

const FINALIZER = 'karpenter.k8s.aws/termination';

interface ClassWorld extends FakeWorld {
  readonly classes: ClassPorts;
  object: NodeClassObject | undefined;
  /** Answers in place of the account, which has one of everything. */
  resources: Partial<NodeClassResources>;
  facts: typeof CLUSTER_FACTS;
  readonly released: string[];
  looks: number;
  /** Profiles that the last sweep left alone. */
  current: ReadonlySet<string>;
}

/** One class, in an account that has what it asks for. */
function aClassWorld(object: Partial<NodeClassObject> = {}): ClassWorld {
  const { subnets, securityGroups } = aResolvedClass();
  const released: string[] = [];

  const change = (next: Partial<NodeClassObject>): NodeClassObject => {
    if (!world.object) throw new StaleObjectError('EC2NodeClass default');
    const resourceVersion = String(Number(world.object.resourceVersion) + 1);
    const changed = { ...world.object, ...next, resourceVersion };
    const isGone = changed.isDeleting && changed.finalizers.length === 0;
    world.object = isGone ? undefined : changed;
    return changed;
  };
  const mustBeCurrent = ({ resourceVersion }: NodeClassObject): void => {
    if (resourceVersion !== world.object?.resourceVersion) {
      throw new StaleObjectError('EC2NodeClass default');
    }
  };

  const world: ClassWorld = Object.assign(aFakeWorld(), {
    object: aClassObject(object),
    resources: {},
    facts: CLUSTER_FACTS,
    released,
    looks: 0,
    current: new Set<string>(),
    classes: {
      records: simNodeClasses(),
      objects: {
        list: async () => (world.object ? [world.object] : []),
        async change(seen: NodeClassObject, next: Partial<NodeClassObject>) {
          mustBeCurrent(seen);
          return change({ ...next, annotations: { ...seen.annotations, ...next.annotations } });
        },
        async writeStatus(seen: NodeClassObject, status: NodeClassStatus, now: number) {
          mustBeCurrent(seen);
          const conditions = status.conditions.map((one) => ({ ...one, since: now }));
          change({ conditions, judgedGeneration: seen.generation });
        },
      },
      resources: {
        subnets: async () => {
          world.looks += 1;
          return subnets;
        },
        securityGroups: async () => securityGroups,
        images: async () => [anImage()],
        reservations: async () => [],
        placementGroup: async () => undefined,
        instanceProfile: async () => 'demo-profile',
        sweepTemplates: async () => {},
        sweepProfiles: async (current: ReadonlySet<string>) => {
          world.current = current;
        },
        release: async ({ name }: { name: string }) => void released.push(name),
      },
      facts: async () => world.facts,
    },
  });
  return world;
}

const reconcile = (world: ClassWorld): Promise<void> =>
  reconcileNodeClasses({
    ...world.ports,
    classes: { ...world.classes, resources: { ...world.classes.resources, ...world.resources } },
  });

const recordOf = (world: ClassWorld) => world.classes.records.find('default');

const conditionOf = async (
  world: ClassWorld,
  type: NodeClassCondition['type'],
): Promise<string | undefined> => {
  const found = (await recordOf(world))?.conditions.find((one) => one.type === type);
  return found && `${found.status}/${found.reason}`;
};

describe('a class whose selectors match', () => {
  it('D1: is ready, and what it stands for is kept for launches', async () => {
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
    expect(world.object).toMatchObject({ judgedGeneration: 1 });
    const shown = world.object?.conditions.map(({ type }) => type);
    expect(shown).toEqual([...types, 'RolloutHealthy']);
  });

  it('D33: keeps its profile from being swept away', async () => {
    const world = aClassWorld();

    await reconcile(world);

    expect([...world.current]).toEqual(['demo-profile']);
  });

  it('gets our finalizer, and its hash with a version that is ours', async () => {
    const world = aClassWorld({ finalizers: ['somebody.else/finalizer'] });

    await reconcile(world);

    const { finalizers, annotations } = world.object ?? {};
    expect(finalizers).toEqual(['somebody.else/finalizer', FINALIZER]);
    expect(annotations?.['karpenter.k8s.aws/ec2nodeclass-hash']).toMatch(/^[0-9a-f]{16}$/);
    expect(annotations?.['karpenter.k8s.aws/ec2nodeclass-hash-version']).toBe('s1');
  });

  it('has pods planned anew once it is ready, and not again', async () => {
    const world = aClassWorld();

    await reconcile(world);
    world.now += 2 * MINUTE_MS;
    await reconcile(world);

    expect(world.sent.map(({ hint }) => hint)).toEqual([{ topic: 'plan' }]);
  });

  it('D7: is not looked up again within a minute, unless it was edited', async () => {
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

describe('a class that lacks something', () => {
  it.each([
    ['subnets', { subnets: async () => [] }, 'SubnetsReady', 'False/SubnetsNotFound'],
    [
      'security groups',
      { securityGroups: async () => [] },
      'SecurityGroupsReady',
      'False/SecurityGroupsNotFound',
    ],
    ['images', { images: async () => [] }, 'AMIsReady', 'False/AMINotFound'],
  ] as const)('D8: has no %s, says so, and is not ready', async (_, resources, type, says) => {
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
  ])('D11: %s on Kubernetes %s: %s', async (alias, version, says) => {
    const written = aWrittenClass({ amiSelectorTerms: [{ alias }] });
    const world = aClassWorld({ spec: { outcome: 'read', written } });
    world.facts = { ...CLUSTER_FACTS, version };

    await reconcile(world);

    expect(await conditionOf(world, 'AMIsReady')).toBe(says);
  });

  it('V12: AL2023 needs the range of Services', async () => {
    const world = aClassWorld();
    const { serviceCidr: _, ...facts } = CLUSTER_FACTS;
    world.facts = facts;

    await reconcile(world);

    expect(await conditionOf(world, 'ValidationSucceeded')).toBe(
      'False/ClusterCIDRResolutionFailed',
    );
  });

  it('nobody can read is not ready, and nothing is launched from what it was', async () => {
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

describe('a class whose launch EC2 judges', () => {
  const refusal = { reason: 'CreateFleetAuthCheckFailed', message: 'no policy allows it' };
  const refusing = (world: ClassWorld) => {
    let trials = 0;
    world.resources = {
      tryLaunch: async () => {
        trials += 1;
        return { outcome: 'refused', ...refusal };
      },
    };
    return () => trials;
  };

  it('V2: is not ready if it is refused, and is not tried again for half an hour', async () => {
    const world = aClassWorld();
    const trials = refusing(world);

    await reconcile(world);
    world.now += 29 * MINUTE_MS;
    await reconcile(world);
    expect(trials()).toBe(1);
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe(`False/${refusal.reason}`);

    world.resources = { tryLaunch: async () => ({ outcome: 'allowed' }) };
    world.now += 2 * MINUTE_MS;
    await reconcile(world);
    expect(await conditionOf(world, 'Ready')).toBe('True/Ready');
  });

  it('V6: is tried again at once when somebody adds an annotation', async () => {
    const world = aClassWorld();
    const trials = refusing(world);
    await reconcile(world);
    world.now += 2 * MINUTE_MS;
    const annotations = { ...world.object?.annotations, retry: 'now' };
    world.object = world.object && { ...world.object, annotations };

    await reconcile(world);

    expect(trials()).toBe(2);
  });

  it('V1: is not tried while it lacks something', async () => {
    const world = aClassWorld();
    const trials = refusing(world);
    world.resources = { ...world.resources, subnets: async () => [] };

    await reconcile(world);

    expect(trials()).toBe(0);
    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('False/DependenciesNotReady');
  });

  it('V9: is ready without, where nobody is to ask', async () => {
    const world = aClassWorld();

    await reconcile(world);

    expect(await conditionOf(world, 'ValidationSucceeded')).toBe('True/ValidationSucceeded');
    expect((await recordOf(world))?.trial).toBeUndefined();
  });

  it('is neither ready nor refused while EC2 gives no verdict', async () => {
    const world = aClassWorld();
    world.resources = { tryLaunch: () => Promise.reject(new Error('RequestLimitExceeded')) };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await conditionOf(world, 'Ready')).toBe('Unknown/ReconcilingDependents');
  });
});

describe('a class with a placement group', () => {
  const selecting = () => aWrittenClass({ placementGroupSelector: { name: 'rack' } });
  const rack = { id: 'pg-1', name: 'rack', strategy: 'spread' } as const;

  it('D38: is not ready while there is none, and needs none once it names none', async () => {
    const world = aClassWorld({ spec: { outcome: 'read', written: selecting() } });

    await reconcile(world);
    expect(await conditionOf(world, 'PlacementGroupReady')).toBe('False/PlacementGroupNotFound');

    const spec = { outcome: 'read', written: aWrittenClass() } as const;
    world.object = world.object && { ...world.object, spec, generation: 2 };
    await reconcile(world);
    expect(await conditionOf(world, 'PlacementGroupReady')).toBe('True/PlacementGroupReady');
    expect((await recordOf(world))?.placementGroup).toBeUndefined();
  });

  it('D39: keeps the one that it knows while EC2 does not answer', async () => {
    const world = aClassWorld({ spec: { outcome: 'read', written: selecting() } });
    world.resources = { placementGroup: async () => rack };
    await reconcile(world);
    world.now += 2 * MINUTE_MS;
    world.resources = { placementGroup: () => Promise.reject(new Error('RequestLimitExceeded')) };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect((await recordOf(world))?.placementGroup).toEqual(rack);
    expect(await conditionOf(world, 'Ready')).toBe('True/Ready');
  });

  it('D39: that nobody could look up yet is not known', async () => {
    const world = aClassWorld({ spec: { outcome: 'read', written: selecting() } });
    world.resources = { placementGroup: () => Promise.reject(new Error('RequestLimitExceeded')) };

    await expect(reconcile(world)).rejects.toThrow('not resolved in full');

    expect(await conditionOf(world, 'PlacementGroupReady')).toBe(
      'Unknown/PlacementGroupResolutionFailed',
    );
  });
});

describe('a class with capacity reservations', () => {
  it('D34: keeps what they are, for launches and for its status', async () => {
    const terms = [{ tags: { team: 'a' } }];
    const written = aWrittenClass({ capacityReservationSelectorTerms: terms });
    const world = aClassWorld({ spec: { outcome: 'read', written } });
    const reservations = [aReservation()];
    world.resources = { reservations: async () => reservations };

    await reconcile(world);

    expect((await recordOf(world))?.reservations).toEqual(reservations);
    expect(await conditionOf(world, 'CapacityReservationsReady')).toBe(
      'True/CapacityReservationsReady',
    );
  });
});

describe('subnets without addresses', () => {
  it('are named in the status, and leave the class ready while others have room', async () => {
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

describe('a class that is being deleted', () => {
  it('D40: waits for the last of its claims', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: [FINALIZER] });
    await world.ports.nodeClaims.save(aNodeClaim(), 0);

    await reconcile(world);

    expect(world.released).toEqual([]);
    expect(world.object?.finalizers).toEqual([FINALIZER]);
  });

  it('D40: goes with what was made for it, and leaves others their finalizers', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: ['other', FINALIZER] });
    await world.classes.records.save(aResolvedClass());

    await reconcile(world);

    expect(world.released).toEqual(['default']);
    expect(await recordOf(world)).toBeUndefined();
    expect(world.object?.finalizers).toEqual(['other']);
  });

  it('D41: stays if something could not be taken away', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: [FINALIZER] });
    world.resources = {
      release: async () => {
        throw new Error('DeleteConflict');
      },
    };

    await expect(reconcile(world)).rejects.toThrow();
    expect(world.object?.finalizers).toEqual([FINALIZER]);
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
    return ['RolloutHealthy', 'Ready'].map(
      (type) => conditions.find((one) => one.type === type)?.status,
    );
  };
  const { written, cluster } = aResolvedClass();
  const HASH = classMarks('default', written, cluster.certificateAuthority)?.hash ?? '';

  it('says so, and can be launched from all the same', async () => {
    expect(await stateOf(aClassWorld(), anImage().id)).toEqual(['False', 'True']);
  });

  it('says nothing of an image that it has no more', async () => {
    expect(await stateOf(aClassWorld(), 'ami-before')).toEqual(['True', 'True']);
  });
});
