import { describe, expect, it } from 'vitest';
import { CAPACITY_TYPE_LABEL } from '../../../shared/model/labels.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint, InterruptionNotice } from '../../../shared/ports/work-queue.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aNodeClaim } from '../../support/builders.ts';
import { launchOne } from '../../support/launch-one.ts';
import { aWorld, NO_RANDOM_EVENTS, runFor } from '../support.ts';

const noticesOf = (world: SimWorld): InterruptionNotice[] => {
  const notices: InterruptionNotice[] = [];
  world.consume(async (hint: Hint) => {
    if (hint.topic === 'interruption') notices.push(hint.notice);
  });
  return notices;
};

const launch = async (world: SimWorld, name: string, capacityType = 'spot'): Promise<string> => {
  const requirement = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: [capacityType] } as const;
  const outcome = await launchOne(world.ports.cloud, aNodeClaim({ name, requirements: [requirement] }));
  return outcome.outcome === 'launched' ? outcome.launch.providerId : '';
};

describe('simulated spot interruptions', () => {
  const eventful = { ...NO_RANDOM_EVENTS, interruptionsPerHour: 0.5 };

  it('are announced two minutes ahead', async () => {
    const world = aWorld({}, { options: eventful });
    const notices = noticesOf(world);
    const providerId = await launch(world, 'general-1');
    while (!notices.some(({ kind }) => kind === 'spot-interruption')) {
      await runFor(world, SECOND_MS);
    }
    const at = notices.at(-1)?.at ?? 0;

    await world.clock.runUntil(at + 2 * MINUTE_MS - 1);
    expect((await world.ports.cloud.instance(providerId))?.state).toBe('running');
    await world.clock.runUntil(at + 2 * MINUTE_MS);
    expect((await world.ports.cloud.instance(providerId))?.state).toBe('shutting-down');
  });

  it('happen at about the given rate, half of them after a rebalance recommendation', async () => {
    const world = aWorld({}, { options: eventful });
    const notices = noticesOf(world);
    for (let index = 0; index < 400; index += 1) await launch(world, `general-${index}`);

    await runFor(world, HOUR_MS);

    const taken = notices.filter(({ kind }) => kind === 'spot-interruption').length;
    // 1 - e^-0.5 = 39 % of them.
    expect(taken).toBeGreaterThan(125);
    expect(taken).toBeLessThan(190);
    expect(notices.length - taken).toBeGreaterThan(taken / 3);
  });

  it('spare on-demand instances, and all instances at a rate of 0', async () => {
    const eventfulWorld = aWorld({}, { options: { ...NO_RANDOM_EVENTS, interruptionsPerHour: 5 } });
    const calmWorld = aWorld();
    const notices = [...noticesOf(eventfulWorld), ...noticesOf(calmWorld)];
    await launch(eventfulWorld, 'general-1', 'on-demand');
    await launch(calmWorld, 'general-1', 'spot');

    await runFor(eventfulWorld, 24 * HOUR_MS);
    await runFor(calmWorld, 24 * HOUR_MS);

    expect(notices).toEqual([]);
    expect(await eventfulWorld.ports.cloud.instances()).toHaveLength(1);
    expect(await calmWorld.ports.cloud.instances()).toHaveLength(1);
  });

  it('happen by user action, by node or by claim; a recommendation ends no instance', async () => {
    const world = aWorld();
    const notices = noticesOf(world);
    const [one, two] = [await launch(world, 'general-1'), await launch(world, 'general-2')];
    await runFor(world, MINUTE_MS);
    const { nodes } = await world.ports.cluster.observe();
    const node = nodes.find(({ providerId }) => providerId === one);

    world.userActions.interrupt(node?.name ?? '', 'spot-interruption');
    world.userActions.interrupt('general-2', 'rebalance-recommendation');
    await runFor(world, 3 * MINUTE_MS);

    expect(notices.map(({ kind, providerId }) => [kind, providerId])).toEqual([
      ['spot-interruption', one],
      ['rebalance-recommendation', two],
    ]);
    expect((await world.ports.cloud.instances()).map(({ claim }) => claim)).toEqual(['general-2']);
  });
});
