import { describe, expect, it } from 'vitest';
import { compareRollout } from './compare-rollout.ts';

describe('a rollout', () => {
  it.each(['demo', 'mixed-arch'])(
    'leaves the nodes, price and pods of %s as they were',
    async (name) => {
      const rollout = await compareRollout(name);

      expect(rollout.minutes).toBeLessThan(30);
      expect(rollout.nodes).toBeLessThanOrEqual(rollout.nodesExpected);
      expect(rollout.priceRatio).toBeLessThanOrEqual(1.02);
      expect(rollout.peakNodes).toBeLessThanOrEqual(rollout.nodesBefore + 2);
      expect(rollout.evictionsPerPod).toBeLessThanOrEqual(1.3);
      expect(rollout.shortLived).toBe(0);
    },
    60_000,
  );
});
