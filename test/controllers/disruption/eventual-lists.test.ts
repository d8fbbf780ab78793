import { describe, expect, it } from 'vitest';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { RecordList, StoredNodeClaim } from '../../../shared/ports/records.ts';
import { aNodePool, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';
import { aSmallPod, deletedClaims, tainted } from './disruption-world.ts';

const NAMES = ['general-1', 'general-2', 'general-3'];
const oneAtATime = aNodePool({
  name: 'general',
  hash: 'new',
  disruption: { consolidateAfterMs: 'Never', policy: 'WhenEmpty', budgets: [{ nodes: '1' }] },
});

/** Three drifted nodes; the pod of the first one fits on the third. */
async function aDriftedPool(): Promise<FakeWorld> {
  const world = aFakeWorld({ pools: [oneAtATime], pods: [aSmallPod('general-1')] });
  for (const name of NAMES) await addRunning(world, name, { poolHash: 'old' });
  return world;
}

/** An eventually consistent list shows the claims as they were that long ago. */
function withLag({ ports }: FakeWorld, lagMs: number): Ports {
  const { clock } = ports;
  const lists: { readonly at: number; readonly list: RecordList<StoredNodeClaim> }[] = [];
  return {
    ...ports,
    nodeClaims: {
      ...ports.nodeClaims,
      async list(options) {
        const list = await ports.nodeClaims.list(options);
        lists.push({ at: clock.now(), list });
        if (!options?.isEventual) return list;
        return lists.findLast(({ at }) => at <= clock.now() - lagMs)?.list ?? list;
      },
    },
  };
}

describe('an eventually consistent list of claims that is a second old', () => {
  it.each([0, 300, 1_000])('exceeds no budget and unlocks no leaving node: %i ms', async (lagMs) => {
    const world = await aDriftedPool();
    const ports = withLag(world, lagMs);
    await ports.nodeClaims.list();
    // The second node becomes a candidate shortly after the first one leaves.
    await world.ports.nominations.nominate(['general-2'], NOON + 2.1 * SECOND_MS);
    world.now += 2 * SECOND_MS;
    await ports.nodeClaims.list();

    for (let run = 0; run < 80; run += 1) {
      await reconcileDisruption(ports);
      world.now += 250;
      const leaving = await deletedClaims(world);
      expect(leaving.length).toBeLessThanOrEqual(1);
      expect(tainted(world)).toEqual(expect.arrayContaining(leaving));
    }
    expect(await deletedClaims(world)).toHaveLength(1);
  });
});
