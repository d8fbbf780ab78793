import { describe, expect, it } from 'vitest';
import { aCluster, createPods, fakeType, offering, requesting, spreadOver, Z1, Z2, ZONE } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const type = fakeType('one-pod', { cpus: 2, gib: 2, pods: 1 });
const cluster = aCluster({
  types: [type],
  priced: [
    offering(type, 'on-demand', Z1, 1),
    {
      ...offering(type, 'reserved', Z2, 1e-6),
      reservation: { id: 'cr-1', kind: 'default', isInterruptible: false, free: 1 },
    },
  ],
});

describe('pods that wait for reserved capacity', () => {
  it('are not counted, so the others spread without them', () => {
    const outcome = provision(
      cluster,
      ...createPods(6, 'a', { topologySpread: [spreadOver(ZONE)], requests: requesting(1) }),
    );

    expect(outcome.launched).toHaveLength(3);
    expect(outcome.plan.unplaced.every(({ waits }) => waits)).toBe(true);
  });
});
