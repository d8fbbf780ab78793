import { describe, expect, it } from 'vitest';
import { launchClaim, launchGroup } from '../../../shared/controllers/launch/launch-claims.ts';
import { groupForLaunch } from '../../../shared/controllers/launch/launch-groups.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { LaunchFailedError } from '../../../shared/model/errors.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { StoredNodeClaim } from '../../../shared/ports/records.ts';
import { aNodeClaim, anOffering, NOON } from '../../support/builders.ts';
import { aFakeWorld, claimsOf, type FakeWorld, takeHints } from '../support/fake-ports.ts';

/** Recorded claims of one decision that share a launch. */
async function withGroup(count: number): Promise<{ world: FakeWorld; group: readonly StoredNodeClaim[] }> {
  const world = aFakeWorld();
  const group: StoredNodeClaim[] = [];
  for (let index = 1; index <= count; index += 1) {
    const claim = aNodeClaim({ name: `general-${index}`, launchId: 'p-1-0' });
    await world.ports.nodeClaims.save(claim, 0);
    group.push({ claim, version: 1 });
  }
  return { world, group };
}

/** EC2 launches, but the answer never arrives. */
const losingAnswers = ({ ports }: FakeWorld): Ports => ({
  ...ports,
  cloud: {
    ...ports.cloud,
    async launch(request) {
      await ports.cloud.launch(request);
      throw new Error('the connection broke');
    },
  },
});

const instancesOf = (claims: readonly NodeClaim[]): readonly (string | undefined)[] =>
  claims.map(({ launch }) => launch?.providerId).toSorted();

describe('claims of one launch record', () => {
  it('are one request', async () => {
    const { world, group } = await withGroup(5);
    let requests = 0;
    const cloud: Ports['cloud'] = {
      ...world.ports.cloud,
      launch(request) {
        requests += 1;
        return world.ports.cloud.launch(request);
      },
    };

    const launched = await launchGroup({ ...world.ports, cloud }, group);

    expect(requests).toBe(1);
    expect(launched.size).toBe(5);
    expect(new Set(instancesOf(await claimsOf(world)))).toEqual(new Set(world.instances.keys()));
  });

  it('are recorded before a shortage is, so that a failing record of shortages loses no instance', async () => {
    const { world, group } = await withGroup(1);
    const cloud: Ports['cloud'] = {
      ...world.ports.cloud,
      async launch(request) {
        const answer = await world.ports.cloud.launch(request);
        return { ...answer, unavailable: [anOffering({ capacityType: 'spot' })] };
      },
    };
    const unavailableOfferings: Ports['unavailableOfferings'] = {
      ...world.ports.unavailableOfferings,
      mark: async () => {
        throw new Error('AccessDenied');
      },
    };

    const failing = launchGroup({ ...world.ports, cloud, unavailableOfferings }, group);
    await expect(failing).rejects.toThrow('AccessDenied');
    await launchGroup({ ...world.ports, cloud, unavailableOfferings }, group);

    expect(world.instances.size).toBe(1);
    expect(instancesOf(await claimsOf(world))).toEqual([...world.instances.keys()]);
  });

  it('are requested by one of two invocations', async () => {
    const { world, group } = await withGroup(3);

    await Promise.all([
      launchGroup(world.ports, group),
      launchGroup(world.ports, group),
      launchClaim(world.ports, group[1] ?? { claim: aNodeClaim(), version: 1 }),
    ]);

    expect(world.instances.size).toBe(3);
  });

  it('get what was launched once a lost answer is certain, and not before', async () => {
    const { world, group } = await withGroup(3);
    await expect(launchGroup(losingAnswers(world), group)).rejects.toThrow('broke');
    expect(world.instances.size).toBe(3);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'claim', claim: 'general-1' },
      at: NOON + 40 * SECOND_MS,
    });

    world.now = NOON + 29 * SECOND_MS;
    await reconcileNodeClaim(world.ports, 'general-1');
    expect((await claimsOf(world)).filter(({ launch }) => launch)).toEqual([]);

    world.now = NOON + 40 * SECOND_MS;
    for (const { claim } of group) await reconcileNodeClaim(world.ports, claim.name);
    expect(world.instances.size).toBe(3);
    expect(instancesOf(await claimsOf(world))).toEqual([...world.instances.keys()].toSorted());
  });

  it('leave the instance of a deleted claim to garbage collection', async () => {
    const { world, group } = await withGroup(2);
    await expect(launchGroup(losingAnswers(world), group)).rejects.toThrow('broke');
    const [first] = group;
    if (!first) throw new Error('no group');
    await world.ports.nodeClaims.save({ ...first.claim, deletingAt: world.now }, 1);
    await reconcileNodeClaim(world.ports, 'general-1');
    await reconcileNodeClaim(world.ports, 'general-1');

    for (let minute = 1; minute <= 3; minute += 1) {
      world.now += MINUTE_MS;
      await reconcileNodeClaim(world.ports, 'general-2');
      await sweep(world.ports);
    }

    const remaining = await claimsOf(world);
    expect(remaining.map(({ name }) => name)).toEqual(['general-2']);
    expect([...world.instances.keys()]).toEqual(instancesOf(remaining));
  });
});

describe('claims of one launch that EC2 refuses', () => {
  const refusal = new LaunchFailedError('general-1', 'Unauthorized', 'no ec2:CreateFleet');

  it('are refused together and all retried', async () => {
    const { world, group } = await withGroup(5);
    const cloud: Ports['cloud'] = {
      ...world.ports.cloud,
      launch: async () => ({ launches: [], unavailable: [], refusal }),
    };

    expect(await launchGroup({ ...world.ports, cloud }, group)).toEqual(new Map());
    const claims = await claimsOf(world);
    expect(claims.map(({ waitsFor }) => waitsFor?.reason)).toEqual(Array.from({ length: 5 }, () => 'Unauthorized'));
    const hinted = takeHints(world).flatMap(({ hint }) => (hint.topic === 'claim' ? hint.claim : []));
    expect([...new Set(hinted)].toSorted()).toEqual(claims.map(({ name }) => name).toSorted());
  });
});

describe('claims of one decision', () => {
  it('share a launch record if any instance suits all of them, and only then', () => {
    const spot = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }] as const;
    const claims = [
      aNodeClaim({ name: 'a' }),
      aNodeClaim({ name: 'b', requests: { cpu: 1 } }),
      aNodeClaim({ name: 'c', requirements: spot }),
      aNodeClaim({ name: 'd', taints: [{ key: 'team', effect: 'NoSchedule' }] }),
    ];

    const ids = groupForLaunch(claims, 'p-1').map(({ launchId }) => launchId);

    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
  });

  it('are launched in groups of at most 100', () => {
    const claims = Array.from({ length: 250 }, (_, index) => aNodeClaim({ name: `n-${index}` }));

    const ids = groupForLaunch(claims, 'p-1').map(({ launchId }) => launchId);

    const sizes = Object.values(Object.groupBy(ids, (id) => id ?? '')).map((group) => group?.length);
    expect(sizes.toSorted()).toEqual([100, 100, 50]);
  });
});
