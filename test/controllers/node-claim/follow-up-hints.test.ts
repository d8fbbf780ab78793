import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNodeClaim, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld, joinNode, providerIdOf, takeHints } from '../support/fake-ports.ts';

const NAME = 'general-1';
const topics = (world: FakeWorld) => takeHints(world).map(({ hint }) => hint.topic);

/** Ends a claim that is drained. */
async function endClaim(over: Partial<NodeClaim>, notReady?: string): Promise<FakeWorld> {
  const world = aFakeWorld({
    nodeClassReadiness: [
      {
        name: 'default',
        ...(notReady !== undefined && { notReady: { condition: notReady, message: '' } }),
      },
    ],
  });
  world.now = NOON + SECOND_MS;
  await addRunning(world, NAME, { deletingAt: NOON, drainingAt: NOON, drainedAt: NOON, ...over });
  world.objects = { ...world.objects, nodes: [] };
  await world.ports.cloud.terminate(providerIdOf(NAME));
  await reconcileNodeClaim(world.ports, NAME);
  return world;
}

describe('the end of the last claim of an EC2NodeClass', () => {
  it('has the class finalized at once if it is being deleted', async () => {
    expect(topics(await endClaim({}, 'NodeClassTerminating'))).toContain('class');
  });

  it('does not have a class evaluated that stays', async () => {
    expect(topics(await endClaim({}))).not.toContain('class');
  });
});

it('requests a disruption run at once for a claim that ended because it had drifted, else with the next bucket', async () => {
  const disruptionsAfter = async (removal: NodeClaim['removal']) =>
    takeHints(await endClaim(removal ? { removal } : {})).flatMap(({ hint, at }) =>
      hint.topic === 'disrupt' ? [at - NOON] : [],
    );

  expect(await disruptionsAfter('Drifted')).toEqual([SECOND_MS, 10 * SECOND_MS]);
  expect(await disruptionsAfter('Empty')).toEqual([10 * SECOND_MS]);
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
