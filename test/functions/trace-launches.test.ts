import { describe, expect, it } from 'vitest';
import { traceLaunches } from '../../functions/provisioning/trace-launches.ts';
import { reconcileProvisioning } from '../../shared/controllers/provisioning/reconcile.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { aFakeWorld, type FakeWorld } from '../controllers/support/fake-ports.ts';
import { NOON, podsOf } from '../support/builders.ts';

/** The ports of a world whose calls take time: the first of each kind as many milliseconds as given. */
function withSlowCalls(world: FakeWorld): Ports {
  const { ports } = world;
  const pass = (ms: number): void => {
    world.now += ms;
  };
  return {
    ...ports,
    cluster: {
      ...ports.cluster,
      async observe(options) {
        pass(30);
        return ports.cluster.observe(options);
      },
    },
    leases: {
      ...ports.leases,
      async acquire(role, term) {
        if (role === 'commit') pass(7);
        return ports.leases.acquire(role, term);
      },
    },
  };
}

describe('the trace of a run that launches nodes', () => {
  it('tells where the time went, from the hint to the request', async () => {
    const world = aFakeWorld({ pods: podsOf(3) });
    world.now = NOON + 2 * SECOND_MS;
    const startedAt = world.now;
    const { ports, trace } = traceLaunches(withSlowCalls(world));

    await reconcileProvisioning(ports);

    const batch = { sentAt: startedAt - 120, receivedAt: startedAt - 100 };
    expect(trace.takeTimes(batch, startedAt)).toEqual({
      ...{ queue: 20, bucket: 100, batch: 0, read: 30, plan: 0, commit: 7, launch: 0 },
    });
    expect(trace.takeTimes(batch, startedAt)).toBeUndefined();
  });

  it('is empty if nothing was launched', async () => {
    const world = aFakeWorld();
    const { ports, trace } = traceLaunches(world.ports);

    await reconcileProvisioning(ports);

    expect(trace.takeTimes({ sentAt: NOON, receivedAt: NOON }, NOON)).toBeUndefined();
  });
});
