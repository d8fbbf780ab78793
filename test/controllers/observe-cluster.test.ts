import { describe, expect, it } from 'vitest';
import { observeCluster } from '../../shared/controllers/observe-cluster.ts';
import { FIRST_SHORTAGE_MS } from '../../shared/model/offerings/shortages.ts';
import { anOffering, aPod, NOON } from '../support/builders.ts';
import { addRunning, aFakeWorld } from './support/fake-ports.ts';

describe('the snapshot', () => {
  it("holds the ports' objects without a copy", async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    const snapshot = await observeCluster(world.ports);

    expect(snapshot.takenAt).toBe(NOON);
    expect(snapshot.pods).toBe(world.objects.pods);
    expect(snapshot.nodes).toBe(world.objects.nodes);
    expect(snapshot.instanceTypes.general).toHaveLength(1);
    expect(snapshot).not.toHaveProperty('lastPodEventAt');
  });

  it('leaves out what has expired', async () => {
    const world = aFakeWorld();
    await world.ports.nominations.nominate(['old'], NOON - 1);
    await world.ports.nominations.nominate(['new'], NOON + 1);
    const { hourlyUsd: _, ...offering } = anOffering();
    await world.ports.unavailableOfferings.mark([offering], NOON - FIRST_SHORTAGE_MS);
    const snapshot = await observeCluster(world.ports);

    expect(snapshot.nominations).toEqual({ new: NOON + 1 });
    expect(snapshot.unavailable).toEqual([]);
  });

  it('has the last pod event of each claim', async () => {
    const world = aFakeWorld();
    const quiet = await addRunning(world, 'quiet', { lastPodEventAt: NOON });
    await addRunning(world, 'busy', { lastPodEventAt: NOON });
    world.objects = { ...world.objects, lastPodEventAt: { busy: NOON + 5, quiet: NOON - 5 } };
    const { claims } = await observeCluster(world.ports);

    expect(claims.map(({ lastPodEventAt }) => lastPodEventAt)).toEqual([NOON, NOON + 5]);
    expect(claims[0]).toBe(quiet);
  });
});
