import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { learnNodeSize } from '../../../shared/controllers/node-claim/reconcile.ts';
import { memoryLearnedSizes } from '../../../shared/memory/capacity-records.ts';
import type { LearnedSize } from '../../../shared/model/nodes/learned-sizes.ts';
import type { Launch } from '../../../shared/model/nodes/node-claim.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { aWorld, NO_RANDOM_EVENTS, podsIn, runFor } from '../../simulation/support.ts';
import { aLaunch, aNode, aNodeClaim, aPod, aPodSpec, NOON } from '../../support/builders.ts';

const launch: Launch = { ...aLaunch(), imageId: 'ami-1', setup: 'a' };
const launched = aNodeClaim({ launch });
const registered = { ...launched, registeredAt: NOON };

const real = {
  capacity: { cpu: 2000, memory: 7 * GIB, 'example.com/fpga': 1 },
  allocatable: { cpu: 1930, memory: 6 * GIB, 'ephemeral-storage': 0, pods: 29 },
};

async function learned(before = launched, after = registered, nodes = [aNode(real)]): Promise<readonly LearnedSize[]> {
  const learnedSizes = memoryLearnedSizes();
  await learnNodeSize({ learnedSizes, clock: { now: () => NOON } }, before, after, nodes);
  return learnedSizes.list(NOON);
}

describe('the size of a node', () => {
  it('is learned at registration, as far as the kubelet reports it by then', async () => {
    expect(await learned()).toEqual([
      {
        instanceType: 'm7i.large',
        imageId: 'ami-1',
        setup: 'a',
        capacity: { memory: 7 * GIB },
        allocatable: { cpu: 1930, memory: 6 * GIB, pods: 29 },
      },
    ]);
  });

  it('is learned again at initialization', async () => {
    const disk = { ...real.allocatable, 'ephemeral-storage': 17 * GIB };
    const nodes = [aNode({ ...real, allocatable: disk })];
    const [size] = await learned(registered, { ...registered, initializedAt: NOON }, nodes);

    expect(size?.allocatable['ephemeral-storage']).toBe(17 * GIB);
  });

  it.each<[string, Parameters<typeof learned>]>([
    ['at other moments', [registered, registered]],
    ['without a Node', [launched, registered, []]],
    ['from two Nodes of one instance', [launched, registered, [aNode(real), aNode(real)]]],
    ['if EC2 did not report the image', [launched, { ...registered, launch: aLaunch() }]],
    ['from a Node without capacity', [launched, registered, [aNode({ capacity: {} })]]],
  ])('is not learned %s', async (_, args) => {
    expect(await learned(...args)).toEqual([]);
  });
});

describe('a type whose estimated size was too large', () => {
  it('is launched in vain once; the pod then runs on another type', async () => {
    const pod = aPod({ spec: aPodSpec({ requests: { cpu: 1000, memory: 7 * GIB, pods: 1 } }) });
    // Every m7i.large has a quarter less than estimated.
    const nodeSize = ({ instanceType, capacity, allocatable }: Launch) =>
      instanceType === 'm7i.large'
        ? {
            capacity: { ...capacity, memory: 6 * GIB },
            allocatable: { ...allocatable, memory: 6 * GIB },
          }
        : { capacity, allocatable };
    const world = aWorld({ pods: [pod] }, { options: { ...NO_RANDOM_EVENTS, nodeSize } });
    world.consume((hint) => dispatch(world.ports, hint));

    await runFor(world, HOUR_MS);

    const stays = world.ledger.billedNodes.map(({ instanceType, removedAt }) => [
      instanceType,
      removedAt === undefined,
    ]);
    expect(stays).toEqual([
      ['m7i.large', false],
      ['m7i.2xlarge', true],
    ]);
    expect((await podsIn(world)).map(({ phase }) => phase)).toEqual(['Running']);
  });
});
