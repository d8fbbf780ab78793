import { describe, expect, it, vi } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { INITIALIZED_LABEL, NODEPOOL_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { NodeClaimObject } from '../../../shared/model/nodes/node-claim-object.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Instance, InstanceFacts } from '../../../shared/ports/cloud.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { withUnreadableRows } from '../../faults/runtime/unreadable-rows.ts';
import { aNode, aNodeClaim, NOON } from '../../support/builders.ts';
import { aFakeWorld, claimsOf, type FakeWorld, providerIdOf } from '../support/fake-ports.ts';
import { hintedClaims, sweepTwice } from '../sweep-world.ts';

const FACTS: InstanceFacts = {
  instanceType: 'm7i.large',
  zone: 'us-east-1a',
  capacityType: 'on-demand',
  pool: 'general',
  nodeClass: 'default',
};

describe('a table that lost its records', () => {
  /** A node of the lost table, three days old. */
  function aSurvivor(name: string): FakeWorld {
    const providerId = providerIdOf(name);
    const labels = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
    const world = aFakeWorld({ nodes: [aNode({ name: `node-${name}`, providerId, labels })] });
    const launchedAt = NOON - 3 * DAY_MS;
    const state = 'running';
    world.instances.set(providerId, { providerId, claim: name, state, launchedAt, facts: FACTS });
    return world;
  }

  it('adopts running instances unchanged and terminates nothing', async () => {
    const world = aSurvivor('general-1');
    await sweepTwice(world);

    expect(world.instances.size).toBe(1);
    expect(await claimsOf(world)).toMatchObject([
      {
        name: 'general-1',
        pool: 'general',
        poolHash: 'hash-general',
        createdAt: NOON - 3 * DAY_MS,
        nodeName: 'node-general-1',
        registeredAt: NOON,
        initializedAt: NOON,
        launch: { providerId: providerIdOf('general-1'), hourlyUsd: 0.1008 },
      },
    ]);
    expect(world.events).toContainEqual({ kind: 'adopted', at: NOON, claim: 'general-1' });
  });

  it.each<[string, 'RebootRequested' | 'RebootIssued', object]>([
    ['is drained', 'RebootRequested', {}],
    ['has called EC2 for', 'RebootIssued', { issuedAt: NOON - MINUTE_MS }],
  ])('continues the reboot of a node that Karpenter %s, without launching another', async (_, reason, expected) => {
    const world = aSurvivor('general-1');
    const claim = aNodeClaim({ name: 'general-1' });
    const condition = { status: 'True', message: 'rebooting for AcceleratedHardwareReady/XID48' } as const;
    world.claimObjects.set('general-1', {
      ...toNodeClaimObject(claim),
      providerId: providerIdOf('general-1'),
      annotations: {
        'karpenter.sh/reboot-pre-boot-id': 'boot-1',
        'karpenter.sh/reboot-termination-grace-period': '5m0s',
      },
      conditions: [
        { ...condition, type: 'Rebooting', reason, since: NOON - 2 * MINUTE_MS },
        { type: 'Initialized', status: 'Unknown', reason: 'Rebooting', message: '', since: NOON - MINUTE_MS },
      ],
    });
    await sweepTwice(world);

    expect((await claimsOf(world))[0]?.reboots).toEqual([
      {
        cause: 'AcceleratedHardwareReady/XID48',
        requestedAt: NOON - 2 * MINUTE_MS,
        drainMs: 5 * MINUTE_MS,
        fromBoot: { id: 'boot-1', at: NOON },
        ...expected,
      },
    ]);
  });

  it('does not delete an old node of a pool that replaces its expired nodes voluntarily', async () => {
    const world = aSurvivor('general-1');
    const pools = world.objects.pools.map((pool) => ({
      ...pool,
      expireAfterMs: DAY_MS,
      expiresVoluntarily: true as const,
      minDrainMs: MINUTE_MS,
    }));
    world.objects = { ...world.objects, pools };
    await sweepTwice(world);
    await reconcileNodeClaim(world.ports, 'general-1');

    const [claim] = await claimsOf(world);
    expect(claim).toMatchObject({ expiresVoluntarily: true, minDrainMs: MINUTE_MS });
    expect(claim).not.toHaveProperty('deletingAt');
  });

  it('does not disrupt adopted nodes for ten minutes', async () => {
    const world = aSurvivor('general-1');
    await sweep(world.ports);

    const until = NOON + 10 * MINUTE_MS;
    expect(await world.ports.nominations.list(NOON)).toEqual({
      'general-1': until,
      'node-general-1': until,
    });
  });

  it('adopts many instances as well as one', async () => {
    const world = aSurvivor('general-1');
    for (let index = 2; index <= 30; index += 1) {
      const [one] = aSurvivor(`general-${index}`).instances.values();
      if (one) world.instances.set(one.providerId, one);
    }
    await sweepTwice(world);

    expect(world.instances.size).toBe(30);
    expect(await claimsOf(world)).toHaveLength(30);
  });

  it('adopts an instance that is younger than the table if the cluster has its NodeClaim', async () => {
    const world = aSurvivor('general-1');
    const [instance] = world.instances.values();
    if (!instance) throw new Error('no instance');
    world.instances.set(instance.providerId, { ...instance, launchedAt: NOON });
    const object: NodeClaimObject = {
      ...toNodeClaimObject(aNodeClaim({ name: 'general-1', uid: 'uid-of-old' })),
      createdAt: NOON - DAY_MS,
      providerId: instance.providerId,
      lastPodEventAt: NOON - MINUTE_MS,
    };
    world.claimObjects.set('general-1', object);
    await sweepTwice(world);

    expect(world.instances.size).toBe(1);
    expect(await claimsOf(world)).toMatchObject([
      {
        name: 'general-1',
        uid: 'uid-of-old',
        createdAt: NOON - DAY_MS,
        lastPodEventAt: NOON - MINUTE_MS,
      },
    ]);
  });

  it('gives an instance that has not joined the full registration timeout', async () => {
    const world = aSurvivor('general-1');
    world.objects = { ...world.objects, nodes: [] };
    await sweep(world.ports);

    const [claim] = await claimsOf(world);
    expect(claim).toMatchObject({ createdAt: NOON });
    expect(claim).not.toHaveProperty('registeredAt');
  });
});

describe('a cluster that Karpenter has handed over', () => {
  const REACHED = {
    ...{ [NODEPOOL_LABEL]: 'general', [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' },
  };

  /** EC2 does not list Karpenter's instances as ours, but it knows them by their ids. */
  function aHandOver(names: readonly string[], labels = REACHED): FakeWorld {
    const world = aFakeWorld({
      nodes: names.map((name) => aNode({ name: `node-${name}`, providerId: providerIdOf(name), labels })),
    });
    for (const name of names) {
      const providerId = providerIdOf(name);
      world.instances.set(providerId, { providerId, claim: name, state: 'running', facts: FACTS });
      const object = toNodeClaimObject(aNodeClaim({ name }));
      world.claimObjects.set(name, { ...object, createdAt: NOON - DAY_MS, providerId });
    }
    const cloud = { ...world.ports.cloud, instances: async () => [] };
    return { ...world, ports: { ...world.ports, cloud } };
  }

  it('is adopted by one sweep, without a message for each NodeClaim before', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `general-${index}`);
    const world = aHandOver(names);
    const nominate = vi.spyOn(world.ports.nominations, 'nominate');

    await sweep(world.ports);

    expect(await claimsOf(world)).toHaveLength(300);
    expect(hintedClaims(world).toSorted()).toEqual(names.toSorted());
    expect(nominate).toHaveBeenCalledTimes(1);
  });

  it('keeps the times at which its nodes became ready', async () => {
    const world = aHandOver(['general-1']);
    const object = world.claimObjects.get('general-1');
    if (!object) throw new Error('no NodeClaim');
    const reached = ['Registered', 'Initialized'].map((type) => ({
      ...{ type, status: 'True' as const, reason: type, message: '', since: NOON - DAY_MS },
    }));
    world.claimObjects.set('general-1', { ...object, conditions: reached });

    await sweep(world.ports);

    expect(await claimsOf(world)).toMatchObject([{ registeredAt: NOON - DAY_MS, initializedAt: NOON - DAY_MS }]);
  });

  it.each<[string, Partial<Instance>, string, readonly string[]]>([
    ['is adopted by their Nodes', {}, 'general', ['general-eneral-1']],
    ['is left alone if Mortise launched the instances', { launchId: 'p-1-0' }, 'general', []],
    ['is left alone if the instances are gone', { state: 'terminated' }, 'general', []],
    ['is left alone if the cluster lacks their NodePool', {}, 'other', []],
  ])('without its NodeClaims %s', async (_, instance, pool, names) => {
    const world = aHandOver(['general-1'], { ...REACHED, [NODEPOOL_LABEL]: pool });
    world.claimObjects.clear();
    const providerId = providerIdOf('general-1');
    const running = { providerId, claim: '', state: 'running', facts: FACTS, ...instance } as const;
    world.instances.set(providerId, running);

    await sweep(world.ports);

    expect((await claimsOf(world)).map(({ name }) => name)).toEqual(names);
    expect(world.instances.has(providerId)).toBe(true);
  });

  it('is adopted as far as EC2 and the table answer', async () => {
    const world = aHandOver(['general-1', 'general-2']);
    const { instance } = world.ports.cloud;
    vi.spyOn(world.ports.cloud, 'instance').mockImplementation(async (providerId) => {
      if (providerId === providerIdOf('general-1')) throw new Error('EC2 is away');
      return instance(providerId);
    });

    await expect(sweep(world.ports)).rejects.toThrow('EC2 is away');

    expect((await claimsOf(world)).map(({ name }) => name)).toEqual(['general-2']);
  });

  it('leaves a NodeClaim whose instance is gone to its own reconciliation', async () => {
    const world = aHandOver(['general-1', 'general-2']);
    world.instances.delete(providerIdOf('general-2'));

    await sweep(world.ports);

    expect((await claimsOf(world)).map(({ name }) => name)).toEqual(['general-1']);
    expect(hintedClaims(world).toSorted()).toEqual(['general-1', 'general-2']);
  });

  it('leaves a NodeClaim whose name has the record of an ended claim to its own reconciliation', async () => {
    const world = aHandOver(['general-1']);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'general-1', terminatedAt: NOON }), 0);

    await sweep(world.ports);

    expect(await claimsOf(world)).toEqual([]);
    expect(hintedClaims(world)).toEqual(['general-1']);
  });

  it('leaves a NodeClaim alone whose record cannot be read, and adopts the others', async () => {
    const { ports, ...world } = aHandOver(['general-1', 'general-2']);
    await ports.nodeClaims.save(aNodeClaim({ name: 'general-1', terminatedAt: NOON }), 0);
    const spoilt = withUnreadableRows(ports, new Set(['NodeClaim#general-1']));

    await sweep({ ...ports, ...spoilt });

    expect((await claimsOf({ ...world, ports })).map(({ name }) => name)).toEqual(['general-2']);
    expect(world.instances.size).toBe(2);
  });
});
