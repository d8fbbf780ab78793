import { describe, expect, it } from 'vitest';
import { computeFleetBound } from '../../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { aFleet, type FleetNode, web } from '../../disruption/fleet.ts';
import { computeDistanceParts } from './distance-parts.ts';

/** Half-used nodes of two CPUs for $0.10 per hour. */
const HALF_USED = [1, 2, 3, 4].map(
  (number): FleetNode => ({ name: `node-${number}`, pods: [web(`pod-${number}`, 1)] }),
);

describe('the distance between the cluster and its lower bound', () => {
  it('is unused room, if the nodes have the right price', () => {
    const fleet = aFleet(HALF_USED);
    const parts = computeDistanceParts(fleet);

    expect(computeFleetBound(fleet)).toBeCloseTo(0.2);
    expect(parts.unused).toBeCloseTo(0.2);
    expect(parts).toMatchObject({ notReady: 0, daemonSets: 0 });
    expect(parts.dear).toBeCloseTo(0);
  });
});
