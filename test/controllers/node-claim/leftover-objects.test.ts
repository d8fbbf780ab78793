import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { aLaunch, aNode, aNodeClaim, anInitializedClaim, NOON } from '../../support/builders.ts';
import { aFakeWorld, providerIdOf } from '../support/fake-ports.ts';

describe('the NodeClaim object of a terminated record', () => {
  /** The process stopped after it had stored the end, before it removed the object. */
  async function aLeftover() {
    const world = aFakeWorld();
    const claim = aNodeClaim();
    const ended = { ...claim, deletingAt: NOON, terminatedAt: NOON } as const;
    await world.ports.nodeClaims.save({ ...ended, removal: 'InsufficientCapacity' }, 0);
    world.claimObjects.set(claim.name, toNodeClaimObject(claim));
    return world;
  }

  it('is removed a minute after the end', async () => {
    const world = await aLeftover();
    world.now = NOON + MINUTE_MS;
    await reconcileNodeClaim(world.ports, 'general-1');

    expect([...world.claimObjects.keys()]).toEqual([]);
  });

  it('stays before that, because the list may be older than the end', async () => {
    const world = await aLeftover();
    world.now = NOON + MINUTE_MS - 1;
    await reconcileNodeClaim(world.ports, 'general-1');

    expect([...world.claimObjects.keys()]).toEqual(['general-1']);
  });

  it('is found by the sweep', async () => {
    const world = await aLeftover();
    await sweep(world.ports);

    expect(world.sent.map(({ hint }) => hint)).toContainEqual({
      topic: 'claim',
      claim: 'general-1',
    });
  });
});

describe('a NodeClaim of Karpenter whose instance ended before it was adopted', () => {
  function anUnadopted(createdAt: number) {
    const providerId = providerIdOf('general-1');
    const node = aNode({ providerId, ready: false, createdAt });
    const world = aFakeWorld({ nodes: [node] });
    const launch = aLaunch({ providerId });
    const claim = anInitializedClaim('node-1', { name: 'general-1', launch, createdAt });
    world.claimObjects.set(claim.name, toNodeClaimObject(claim));
    return world;
  }

  it('is removed with its Node', async () => {
    const world = anUnadopted(NOON - HOUR_MS);
    await reconcileNodeClaim(world.ports, 'general-1');
    expect(world.objects.nodes).toMatchObject([{ name: 'node-1', deletionAt: NOON }]);
    expect([...world.claimObjects.keys()]).toEqual([]);

    await sweep(world.ports);
    expect(world.objects.nodes).toEqual([]);
  });

  it('stays while its Node is ready: EC2 may not list the instance', async () => {
    const world = anUnadopted(NOON - HOUR_MS);
    world.objects = {
      ...world.objects,
      nodes: world.objects.nodes.map((node) => ({ ...node, ready: true })),
    };
    await reconcileNodeClaim(world.ports, 'general-1');

    expect([...world.claimObjects.keys()]).toEqual(['general-1']);
  });

  it('stays for its first minutes, in which EC2 may not list the instance yet', async () => {
    const world = anUnadopted(NOON - MINUTE_MS);
    await reconcileNodeClaim(world.ports, 'general-1');

    expect([...world.claimObjects.keys()]).toEqual(['general-1']);
  });
});
