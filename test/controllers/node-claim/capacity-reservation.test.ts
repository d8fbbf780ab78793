import { describe, expect, it } from 'vitest';
import { reconcileReservedNodes } from '../../../shared/controllers/node-claim/capacity-reservation.ts';
import {
  CAPACITY_TYPE_LABEL,
  REGISTERED_LABEL,
  RESERVATION_ID_LABEL,
  RESERVATION_TYPE_LABEL,
} from '../../../shared/model/labels.ts';
import type { Launch, NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodeReservation } from '../../../shared/model/nodes/resolved-node-class.ts';
import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aLaunch, NOON, nodeLabels } from '../../support/builders.ts';
import { aReservation, aResolvedClass } from '../../support/node-classes.ts';
import { addRunning, aFakeWorld, claimOf, type FakeWorld, providerIdOf } from '../support/fake-ports.ts';

const NAME = 'general-1';
const LABELS = nodeLabels({
  [CAPACITY_TYPE_LABEL]: 'reserved',
  [RESERVATION_ID_LABEL]: 'cr-1',
  [RESERVATION_TYPE_LABEL]: 'default',
});
const RESERVED: Launch = aLaunch({
  providerId: providerIdOf(NAME),
  capacityType: 'reserved',
  hourlyUsd: 1e-8,
  labels: LABELS,
});
const NODE_LABELS = { ...LABELS, [REGISTERED_LABEL]: 'true' };
const ON_DEMAND = nodeLabels({ [CAPACITY_TYPE_LABEL]: 'on-demand' });

/** A reserved claim and its Node; EC2 reports the instance as `now`. */
async function withReserved(now: CapacityType, over: Partial<NodeClaim> = {}): Promise<FakeWorld> {
  const world = aFakeWorld();
  await addRunning(world, NAME, { launch: RESERVED, ...over }, { labels: NODE_LABELS });
  world.instances.set(providerIdOf(NAME), {
    providerId: providerIdOf(NAME),
    claim: NAME,
    state: 'running',
    facts: {
      instanceType: 'm7i.large',
      zone: 'us-east-1a',
      capacityType: now,
      pool: 'general',
      nodeClass: 'default',
    },
  });
  return world;
}

async function look(world: FakeWorld, ...reservations: readonly NodeReservation[]) {
  const ports = {
    ...world.ports,
    nodeClasses: { list: async () => [aResolvedClass({ reservations })] },
  };
  const claims = (await ports.nodeClaims.list()).records.map(({ claim }) => claim);
  await reconcileReservedNodes(ports, claims, world.objects.nodes, [...world.instances.values()]);
  return claimOf(world, NAME);
}

const nodeLabelsIn = ({ objects }: FakeWorld) => objects.nodes[0]?.labels;

describe('a reserved node whose instance is on-demand now', () => {
  it('is relabelled on claim and Node, without its reservation', async () => {
    // A launched claim has the labels of its instance, too.
    const world = await withReserved('on-demand', { labels: LABELS });

    const claim = await look(world);

    expect(claim?.launch).toMatchObject({ capacityType: 'on-demand', labels: ON_DEMAND });
    expect(claim?.labels).toEqual(ON_DEMAND);
    expect(Object.keys(claim?.launch?.labels ?? {})).not.toContain(RESERVATION_ID_LABEL);
    expect(claim?.launch?.hourlyUsd).toBeCloseTo(0.1);
    expect(world.projected.get(NAME)?.launch?.capacityType).toBe('on-demand');
    expect(nodeLabelsIn(world)).toEqual({ ...ON_DEMAND, [REGISTERED_LABEL]: 'true' });
  });

  it('has its Node relabelled if an earlier run left it', async () => {
    const launch = { ...RESERVED, capacityType: 'on-demand', labels: ON_DEMAND } as const;
    const world = await withReserved('on-demand', { launch });

    const claim = await look(world);

    expect(claim?.launch).toBe(launch);
    expect(nodeLabelsIn(world)?.[CAPACITY_TYPE_LABEL]).toBe('on-demand');
  });

  it('stays unchanged while EC2 reports it as reserved', async () => {
    const world = await withReserved('reserved');

    expect((await look(world))?.launch).toBe(RESERVED);
    expect(nodeLabelsIn(world)).toEqual(NODE_LABELS);
  });

  it('is never changed from on-demand to reserved', async () => {
    const world = await withReserved('reserved', {
      launch: aLaunch({ providerId: providerIdOf(NAME) }),
    });

    expect((await look(world))?.launch?.capacityType).toBe('on-demand');
  });
});

describe('a node in an ending reservation', () => {
  const ending = (minutes: number, over: Partial<NodeReservation> = {}): NodeReservation =>
    aReservation({ kind: 'capacity-block', endsAt: NOON + minutes * MINUTE_MS, ...over });

  it('is drained 40 minutes before a capacity block ends', async () => {
    const world = await withReserved('reserved');

    const claim = await look(world, ending(39));

    expect(claim).toMatchObject({
      deletingAt: NOON,
      removal: 'Interrupted',
      interruption: 'capacity_block_expiring',
    });
    expect(claim?.drainDeadline).toBeUndefined();
    expect(world.events).toEqual([{ kind: 'block-ends', at: NOON, claim: NAME, endsAt: NOON + 39 * MINUTE_MS }]);
  });

  it.each([
    ['a capacity block that ends in an hour', ending(60)],
    ['a default reservation, whose instances run on', ending(39, { kind: 'default' })],
    ['a capacity block of other nodes', ending(39, { id: 'cr-2' })],
  ])('stays in %s', async (_, reservation) => {
    const world = await withReserved('reserved');

    expect((await look(world, reservation))?.deletingAt).toBeUndefined();
    expect(world.events).toEqual([]);
  });

  it('is drained once, however often the sweep runs', async () => {
    const world = await withReserved('reserved');
    await look(world, ending(39));

    await look(world, ending(38));

    expect(world.events).toHaveLength(1);
  });
});
