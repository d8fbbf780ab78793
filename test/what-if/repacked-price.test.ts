import { describe, expect, it } from 'vitest';
import { computeRepackedHourlyUsd } from '../../shared/what-if/repacked-price.ts';
import { aFleet, type FleetNode, web } from '../disruption/fleet.ts';

/** Four half-used nodes of two CPUs for $0.10 per hour each. */
const HALF_USED = [1, 2, 3, 4].map(
  (number): FleetNode => ({ name: `node-${number}`, pods: [web(`pod-${number}`, 1)] }),
);

describe('the price of all pods packed anew', () => {
  it('is that of whole nodes for all running pods', () => {
    expect(computeRepackedHourlyUsd(aFleet(HALF_USED))).toBeCloseTo(0.2);
  });

  it('is zero without a pod that runs', () => {
    expect(computeRepackedHourlyUsd({ ...aFleet(HALF_USED), pods: [] })).toBe(0);
  });

  it('is unknown if new nodes could not take one of the pods', () => {
    const fleet = aFleet([...HALF_USED, { name: 'old', pods: [web('huge', 500)] }]);

    expect(computeRepackedHourlyUsd(fleet)).toBeUndefined();
  });
});
