import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { instanceIdOf } from '../../support/limits/planned-fleet.ts';
import { aFullFleet } from './full-fleet.ts';
import { createLimitedCluster } from './limited-cluster.ts';
import { sendSpotNotice, sendSpotNotices } from './spot-storm.ts';

const NODES = 300;
const NOTICES = 120;
/** Two pods of the interrupted nodes fit on each other node, and 22 on each new one. */
const NEW_NODES = 93;

describe('120 spot notices at once in a cluster of 300 full nodes', () => {
  it('are answered by one plan, whose nodes are requested in one call before a pod is evicted', async () => {
    const { world, claims } = aFullFleet(NODES);
    const { activity, queues, table, runFor } = await createLimitedCluster(world, claims);
    sendSpotNotices(queues, NOTICES, instanceIdOf);

    await runFor(SECOND_MS);

    const { fleetCalls, evictions, observations } = activity;
    expect(observations).toHaveLength(1);
    expect(fleetCalls.map(({ instances }) => instances)).toEqual([NEW_NODES]);
    expect(evictions).toEqual([]);
    expect(queues.interruption).toMatchObject({ size: 0, deadLetters: [] });
    // A few rows for each notice and each new node; all claims are listed twice, not for each notice.
    expect(table.usage).toMatchObject({ throttled: 0 });
    expect(table.usage.readUnits).toBeLessThan(NOTICES * 10 + NEW_NODES * 2 + 2 * NODES);
    expect(table.usage.writeUnits).toBeLessThan(NOTICES * 5 + NEW_NODES * 5);
  });
});

describe('spot notices that arrive one after the other', () => {
  it('do not keep the nodes of the first ones from being replaced', async () => {
    const { world, claims } = aFullFleet(100);
    const { activity, queues, timeline, runFor } = await createLimitedCluster(world, claims);

    await runFor(SECOND_MS, {
      async beside() {
        // A plan takes longer from its snapshot to its commit.
        for (let index = 0; index < 40; index += 1) {
          sendSpotNotice(queues, instanceIdOf(index));
          await timeline.sleep(20);
        }
      },
    });

    expect(activity.fleetCalls.length).toBeGreaterThan(0);
    expect(Math.min(...activity.fleetCalls.map(({ at }) => at))).toBeLessThan(NOON + 500);
  });
});
