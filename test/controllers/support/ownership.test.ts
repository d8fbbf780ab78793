import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { toDecisionEvents } from '../../../shared/kubernetes/events/decision-user-events.ts';
import { formatInstant, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { aNodeClaim, aPod, NOON } from '../../support/builders.ts';
import {
  addRunning,
  aFakeWorld,
  claimOf,
  claimsOf,
  type FakeWorld,
  joinNode,
  providerIdOf,
  takeHints,
} from './fake-ports.ts';

const NAME = 'general-1';

const standBy = (world: FakeWorld): void => {
  world.leases.karpenterRenewedAt = world.now;
};
const heldByController = (world: FakeWorld, stack = 'shop'): void => {
  world.leases.own = {
    holder: `${stack}/controller/host-1`,
    acquiredAt: world.now,
    renewedAt: world.now,
    durationMs: 30 * SECOND_MS,
    transitions: 0,
  };
};

const SPOT_NOTICE: Hint = {
  topic: 'interruption',
  notice: { kind: 'spot-interruption', providerId: providerIdOf(NAME), at: NOON },
};

describe('beside a running Karpenter', () => {
  it('launches nothing for a pod', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    world.now = NOON + MINUTE_MS;
    standBy(world);

    await dispatch(world.ports, { topic: 'plan' });

    expect(await claimsOf(world)).toEqual([]);
    expect(world.decisions).toEqual([]);
  });

  it('does not launch a recorded claim', async () => {
    const world = aFakeWorld();
    await world.ports.nodeClaims.save(aNodeClaim({ name: NAME }), 0);
    standBy(world);

    await dispatch(world.ports, { topic: 'claim', claim: NAME });

    expect(world.instances.size).toBe(0);
  });

  it('drains, moves and terminates no node', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME, { deletingAt: NOON });
    await addRunning(world, 'empty-1');
    world.now = NOON + 10 * MINUTE_MS;
    standBy(world);

    for (const hint of [{ topic: 'claim', claim: NAME }, { topic: 'disrupt' }, SPOT_NOTICE] as const) {
      await dispatch(world.ports, hint);
    }

    expect([...world.instances.keys()]).toHaveLength(2);
    expect(world.objects.nodes.every(({ taints }) => taints.length === 0)).toBe(true);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it('terminates no instance in the sweep, and reports the owner', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'settled-1');
    const providerId = providerIdOf('leaked-1');
    world.instances.set(providerId, { providerId, claim: 'leaked-1', state: 'running' });
    standBy(world);

    await dispatch(world.ports, { topic: 'sweep' });

    expect(world.instances.size).toBe(2);
    expect(world.events).toEqual([{ kind: 'stand-by', at: NOON, owner: 'Karpenter', why: 'karpenter' }]);
    expect(takeHints(world)).toEqual([]);
  });

  it('does not launch a plan that was decided before', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    world.now = NOON + MINUTE_MS;
    const { commits } = world.ports;
    const ports = {
      ...world.ports,
      commits: {
        ...commits,
        add: async (...args: Parameters<typeof commits.add>) => {
          standBy(world);
          return commits.add(...args);
        },
      },
    };

    await dispatch(ports, { topic: 'plan' });

    expect(await claimsOf(world)).toHaveLength(1);
    expect(world.instances.size).toBe(0);
  });
});

describe('while another process of the same stack owns the cluster', () => {
  it('writes a notice of EC2 to the shared table', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME);
    heldByController(world);

    await dispatch(world.ports, SPOT_NOTICE);

    expect((await claimOf(world, NAME))?.removal).toBe('Interrupted');
  });

  it("leaves a notice for another stack's cluster alone", async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME);
    heldByController(world, 'other');

    await dispatch(world.ports, SPOT_NOTICE);

    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
  });
});

describe('after a hand-over from another stack', () => {
  const takenOver = async (): Promise<FakeWorld> => {
    const world = aFakeWorld();
    await addRunning(world, NAME);
    heldByController(world, 'other');
    world.now = NOON + MINUTE_MS;
    return world;
  };

  it('keeps an empty node for ten minutes, and says so', async () => {
    const world = await takenOver();

    await dispatch(world.ports, { topic: 'disrupt' });

    const until = NOON + 11 * MINUTE_MS;
    const [decision, ...others] = world.decisions;
    expect(others).toEqual([]);
    expect(decision?.plan).toEqual({
      verdicts: [
        {
          ...{ claim: NAME, outcome: 'stays', lookAgainAt: until },
          reason: {
            code: 'quiet-after-hand-over',
            fields: { pool: 'general', until: formatInstant(until) },
          },
        },
      ],
    });
    expect(decision && toDecisionEvents(decision)).toMatchObject([
      { reason: 'DisruptionBlocked', subject: { kind: 'NodePool', pool: 'general' } },
    ]);
    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: NOON + 11 * MINUTE_MS }]);
    world.now = NOON + 11 * MINUTE_MS;
    world.leases.own = { ...held(world), renewedAt: world.now };
    await dispatch(world.ports, { topic: 'disrupt' });
    expect(world.decisions).toHaveLength(2);
    expect(world.decisions.at(-1)?.plan).toMatchObject({ verdicts: [{ outcome: 'goes' }] });
  });

  it('does what is necessary: pods get nodes, claims continue', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    heldByController(world, 'other');
    world.now = NOON + MINUTE_MS;

    await dispatch(world.ports, { topic: 'plan' });

    const [{ name } = aNodeClaim()] = await claimsOf(world);
    joinNode(world, name);
    await dispatch(world.ports, { topic: 'claim', claim: name });
    expect((await claimOf(world, name))?.initializedAt).toBe(world.now);
  });
});

function held(world: FakeWorld) {
  if (!world.leases.own) throw new Error('nobody owns the cluster');
  return world.leases.own;
}
