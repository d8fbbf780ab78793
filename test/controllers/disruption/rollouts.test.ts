import { describe, expect, it } from 'vitest';
import { reconcileRollouts } from '../../../shared/controllers/disruption/rollouts.ts';
import type { NodeClassState } from '../../../shared/model/nodes/drift.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNode, anInitializedClaim, aSnapshot, NOON } from '../../support/builders.ts';
import { anImage } from '../../support/node-classes.ts';
import { aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

const VERSION = 'ami-2/h1';
const CLASS: NodeClassState = {
  name: 'default',
  hash: 'h1',
  subnets: [],
  securityGroups: [],
  images: [anImage({ id: 'ami-2', requirements: [] })],
};

interface Seen {
  readonly name: string;
  readonly image?: string;
  /** `undefined`: the node is ready. */
  readonly notReadyForMin?: number;
}

const claimOf = ({ name, image = 'ami-2' }: Seen) =>
  anInitializedClaim(name, {
    name,
    launch: aLaunch({ providerId: `aws:///a/i-${name}`, imageId: image, nodeClassHash: 'h1' }),
    ...(image !== 'ami-2' && { drift: { reason: 'AMIDrift', text: 'image', since: NOON } }),
  });

const nodeOf = ({ name, notReadyForMin }: Seen): Node =>
  aNode({
    name,
    providerId: `aws:///a/i-${name}`,
    ready: notReadyForMin === undefined,
    ...(notReadyForMin !== undefined && {
      troubles: [{ condition: 'Ready', status: 'Unknown', since: NOON - notReadyForMin * MINUTE_MS }],
    }),
  });

const OLD: Seen = { name: 'old', image: 'ami-1' };

/** Runs the rollout check once. */
async function look(world: FakeWorld, ...observed: readonly Seen[]): Promise<readonly string[]> {
  const [stopped] = await world.ports.rollouts.list();
  await reconcileRollouts(
    world.ports,
    aSnapshot({
      claims: observed.map(claimOf),
      nodes: observed.map(nodeOf),
      nodeClasses: [{ ...CLASS, ...(stopped && { stopped }) }],
    }),
  );
  return (await world.ports.rollouts.list()).map(({ version, why }) => `${version}: ${why}`);
}

describe('a rollout whose nodes were ready', () => {
  it('stops when they are unready for five minutes, and shows so on the class', async () => {
    const world = aFakeWorld();

    expect(await look(world, OLD, { name: 'new', notReadyForMin: 4 })).toEqual([]);
    expect(await look(world, OLD, { name: 'new', notReadyForMin: 5 })).toEqual([
      `${VERSION}: 1 of 1 nodes of it were ready and are not, new for 5m`,
    ]);
    expect(world.events.map(({ kind }) => kind)).toEqual(['rollout-stopped']);
    expect(world.sent.map(({ hint }) => hint)).toEqual([{ topic: 'class' }]);
  });

  it('resumes when they or another node become ready', async () => {
    const world = aFakeWorld();
    await look(world, OLD, { name: 'new', notReadyForMin: 5 });
    expect(await look(world, OLD)).toHaveLength(1);
    expect(await look(world, OLD, { name: 'newer' })).toEqual([]);

    expect(world.events.map(({ kind }) => kind)).toEqual(['rollout-stopped', 'rollout-resumed']);
  });

  it('does not resume for one ready node beside an unready one', async () => {
    const world = aFakeWorld();
    const lost: Seen = { name: 'new', notReadyForMin: 5 };
    await look(world, OLD, lost);

    expect(await look(world, OLD, lost, { name: 'newer' })).toHaveLength(1);
    const others = ['b', 'c', 'd', 'e'].map((name) => ({ name }));
    expect(await look(world, OLD, lost, ...others)).toEqual([]);
  });

  it('does not resume for a node of another image', async () => {
    const world = aFakeWorld();
    await look(world, OLD, { name: 'new', notReadyForMin: 5 });

    expect(await look(world, OLD, { name: 'older', image: 'ami-0' })).toHaveLength(1);
  });

  it('does not exist while no node waits to be replaced', async () => {
    expect(await look(aFakeWorld(), { name: 'new', notReadyForMin: 60 })).toEqual([]);
  });
});
