import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { aLaunch, aNodeClaim, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld, joinNode, providerIdOf, takeHints } from '../support/fake-ports.ts';

const NAME = 'general-1';
const topics = (world: FakeWorld) => takeHints(world).map(({ hint }) => hint.topic);

describe('the end of the last claim of an EC2NodeClass', () => {
  const endClaim = async (notReady?: string): Promise<readonly string[]> => {
    const world = aFakeWorld({
      nodeClassReadiness: [
        {
          name: 'default',
          ...(notReady !== undefined && { notReady: { condition: notReady, message: '' } }),
        },
      ],
    });
    await addRunning(world, NAME, { deletingAt: NOON, drainingAt: NOON, drainedAt: NOON });
    world.objects = { ...world.objects, nodes: [] };
    await world.ports.cloud.terminate(providerIdOf(NAME));
    await reconcileNodeClaim(world.ports, NAME);
    return topics(world);
  };

  it('has the class finalized at once if it is being deleted', async () => {
    expect(await endClaim('NodeClassTerminating')).toContain('class');
  });

  it('does not have a class evaluated that stays', async () => {
    expect(await endClaim()).not.toContain('class');
  });
});

describe('the initialization of a claim', () => {
  const initialize = async (over: Partial<NodeClaim>): Promise<readonly string[]> => {
    const world = aFakeWorld();
    const launch = aLaunch({ providerId: providerIdOf(NAME) });
    const claim = aNodeClaim({ name: NAME, launch, ...over });
    await world.ports.nodeClaims.save(claim, 0);
    await world.ports.cluster.projectNodeClaim(claim, async () => claim);
    joinNode(world, NAME);
    await reconcileNodeClaim(world.ports, NAME);
    return topics(world);
  };

  it('requests a disruption run if the claim has drifted before', async () => {
    const drift = { reason: 'NodePoolDrifted', text: 'its template', since: NOON } as const;
    expect(await initialize({ drift })).toContain('disrupt');
    expect(await initialize({})).not.toContain('disrupt');
  });
});
