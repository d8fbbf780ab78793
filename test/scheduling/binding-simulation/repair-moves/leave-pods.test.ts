import { describe, expect, it } from 'vitest';
import { withPodsLeft } from '../../../../shared/scheduling/binding-simulation/repair-moves/leave-pods.ts';
import { aCluster, aPool, asking, several, stepTypes } from '../../fixture.ts';
import { podsByClass, rehearsed } from '../evaluated-packing.ts';

const pods = [
  ...several(12, 'small', { requests: asking(0.5, 1) }),
  ...several(6, 'large', { requests: asking(3, 3) }),
];
const packed = (cpu?: number) => {
  const pool = cpu === undefined ? aPool() : aPool({ limits: { cpu: cpu * 1000 } });
  return rehearsed(aCluster({ types: stepTypes(8), pools: [pool], pods }));
};

describe('pods without a promise', () => {
  it('are as many as are taken off, where limits leave no node for them', () => {
    const { trial, units } = packed(12);
    const before = podsByClass(trial.packing.drafting);
    const outcomes = units.map(({ cls }) => ({
      cls,
      packing: withPodsLeft(trial.packing, { cls, pods: 1, hosts: [] }, units, 1),
    }));
    const made = outcomes.filter(({ packing }) => packing !== undefined);

    expect(made.length).toBeGreaterThan(0);
    for (const { cls, packing } of made) {
      const after = packing && podsByClass(packing.drafting);
      expect(after?.get(cls) ?? 0).toBe((before.get(cls) ?? 0) - 1);
      expect(packing?.leftPods).toBe(trial.packing.leftPods + 1);
      expect(packing?.hourlyUsd).toBe(trial.packing.hourlyUsd);
    }
  });

  it('are none where a node is to be had', () => {
    const { trial, units } = packed();

    for (const { cls } of units) {
      expect(withPodsLeft(trial.packing, { cls, pods: 1, hosts: [] }, units, 1)).toBeUndefined();
    }
  });
});
