import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aPoolOf, listFalling, playCluster } from '../../differences/small-cluster.ts';
import { NOON } from '../../support/builders.ts';

/** When the nodes are gone of a cluster that starts with three; from 12:02 on, one suffices, or none does anything. */
async function listGone(
  consolidateAfterMs: number,
  smallPods: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const pools = [aPoolOf(['m7g.xlarge'], { consolidateAfterMs })];
  const until = NOON + 30 * MINUTE_MS;
  const { gone } = await playCluster({ pools, deployments: listFalling(3, smallPods), until }, { settings });
  return gone.join(' ');
}

describe('consolidateAfter', () => {
  it.each([
    ['0s', 0, '12:03:30 12:03:30', '12:03:30 12:03:30 12:03:30'],
    ['1m', MINUTE_MS, '12:04:30 12:04:30', '12:03:40 12:03:40 12:03:40'],
    ['10m', 10 * MINUTE_MS, '12:13:30 12:13:30', '12:12:40 12:12:40 12:12:40'],
  ])('is honoured from the start of a cluster, with and without a price of moves: %s', async (_, after, two, all) => {
    const restored = { CONSOLIDATION_PAYBACK: 'Any' };

    expect(await listGone(after, 1)).toBe(two);
    expect(await listGone(after, 1, restored)).toBe(two);
    expect(await listGone(after, 0)).toBe(all);
    expect(await listGone(after, 0, restored)).toBe(all);
  });
});
