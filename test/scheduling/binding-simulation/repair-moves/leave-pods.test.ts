import { describe, expect, it } from 'vitest';
import { withUnplacedPods } from '../../../../shared/scheduling/binding-simulation/repair-moves/leave-pods.ts';
import { aCluster, aPool, createPods, createStepTypes, requesting } from '../../support/fixture.ts';
import { packAndEvaluate, podsByClass } from '../evaluated-packing.ts';

const pods = [
  ...createPods(12, 'small', { requests: requesting(0.5, 1) }),
  ...createPods(6, 'large', { requests: requesting(3, 3) }),
];
const packWithCpuLimit = (cpu?: number) => {
  const pool = cpu === undefined ? aPool() : aPool({ limits: { cpu: cpu * 1000 } });
  return packAndEvaluate(aCluster({ types: createStepTypes(8), pools: [pool], pods }));
};

describe('withUnplacedPods', () => {
  it('leaves pods unplaced if limits allow no node for them', () => {
    const { evaluated, podGroups } = packWithCpuLimit(12);
    const before = podsByClass(evaluated.packing.packingState);
    const attempts = podGroups.map(({ cls }) => ({
      cls,
      packing: withUnplacedPods(evaluated.packing, { cls, pods: 1, nodes: [] }, podGroups, 1),
    }));
    const successful = attempts.filter(({ packing }) => packing !== undefined);

    expect(successful.length).toBeGreaterThan(0);
    for (const { cls, packing } of successful) {
      const after = packing && podsByClass(packing.packingState);
      expect(after?.get(cls) ?? 0).toBe((before.get(cls) ?? 0) - 1);
      expect(packing?.unplacedPods).toBe(evaluated.packing.unplacedPods + 1);
      expect(packing?.hourlyUsd).toBe(evaluated.packing.hourlyUsd);
    }
  });

  it('returns undefined if a node can be found for the pods', () => {
    const { evaluated, podGroups } = packWithCpuLimit();

    for (const { cls } of podGroups) {
      expect(withUnplacedPods(evaluated.packing, { cls, pods: 1, nodes: [] }, podGroups, 1)).toBeUndefined();
    }
  });
});
