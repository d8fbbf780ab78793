import { describe, expect, it } from 'vitest';
import { boundGauge } from '../../console/bound-gauge.ts';
import { aNode, aPod, aRunningPod, aSnapshot, NOON } from '../support/builders.ts';

const running = aSnapshot({ nodes: [aNode()], pods: [aRunningPod('node-1')] });

describe('the lower bound', () => {
  it('is positive and below the cost of the one node', () => {
    const gauge = boundGauge();
    gauge.read(running);

    expect(gauge.bound()?.hourlyUsd).toBeGreaterThan(0);
    expect(gauge.bound()?.hourlyUsd).toBeLessThanOrEqual(0.1008);
  });

  it('ignores pods without a node', () => {
    const gauge = boundGauge();
    gauge.read(aSnapshot({ pods: [aPod()] }));

    expect(gauge.bound()).toBeUndefined();
  });

  it("is due again after both the cluster's time and real time have passed", () => {
    let real = 0;
    const gauge = boundGauge(() => real);
    gauge.read(running);

    expect(gauge.isDue(NOON + 60_000)).toBe(false);
    real = 500;
    expect(gauge.isDue(NOON + 100)).toBe(false);
    expect(gauge.isDue(NOON + 60_000)).toBe(true);
  });
});
