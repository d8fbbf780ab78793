import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { ZONES } from '../../support/builders.ts';
import { aFleet, aWillingPool, decide, type Fleet, type FleetNode, onDemand, priced, TYPES, web } from '../fleet.ts';

const SPOT_TAINT = { key: 'workload', value: 'batch', effect: 'NoSchedule' } as const;
const capacityType = (value: string) => [
  { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: [value] },
];
const POOLS = [
  aWillingPool({ requirements: capacityType('on-demand') }),
  aWillingPool({ name: 'batch', requirements: capacityType('spot'), taints: [SPOT_TAINT] }),
];

/** Spot costs this share of the on-demand price. */
const offeringsWithSpotAt = (share: number) => [
  ...TYPES.flatMap((type) => onDemand(type)),
  ...TYPES.flatMap((type) =>
    ZONES.map((zone) => priced(type.name, 'spot', zone, (share * (type.capacity.cpu ?? 0)) / 20_000)),
  ),
];

/** A pod that may run on the spot nodes, but does not have to. */
const aTolerantPod = (name: string) => web(name, 2, { tolerations: [{ key: 'workload', operator: 'Exists' }] });

/** An on-demand node that pods fill which could run on spot, and a pod that could not. */
const MIXED: FleetNode = {
  name: 'mixed',
  type: 'large',
  pods: [web('shop', 1), aTolerantPod('job-1'), aTolerantPod('job-2'), aTolerantPod('job-3')],
};

const aMixedFleet = (over: Fleet = {}, nodes: readonly FleetNode[] = [MIXED]): ClusterSnapshot =>
  aFleet(nodes, { pools: POOLS, offerings: offeringsWithSpotAt(0.3), ...over });

describe('a node whose pods suit several NodePools', () => {
  it('is replaced by one node in each of them if they cost less together', () => {
    const { gone, command } = decide(aMixedFleet());

    expect(gone).toEqual(['mixed']);
    expect(command?.replacements.map(({ claim, cheapest }) => [claim.pool, cheapest.instanceType])).toEqual([
      ['batch', 'large'],
      ['general', 'small'],
    ]);
    // $0.40 on demand, against $0.10 on demand and $0.12 on spot.
    expect(command?.savingHourlyUsd).toBeCloseTo(0.18);
  });

  it('names the types of all its replacements in the reason', () => {
    const { verdicts } = decide(aMixedFleet());

    expect(verdicts.find(({ claim }) => claim === 'mixed')?.reason.fields.target).toBe('large, small');
  });

  it('stays if its replacements together save less than a tenth', () => {
    // $0.10 on demand and $0.28 on spot save $0.02 of $0.40.
    const decision = decide(aMixedFleet({ offerings: offeringsWithSpotAt(0.7) }));

    expect(decision.gone).toEqual([]);
  });

  it('never launches replacements as types that could cost more together than the node', () => {
    const { command } = decide(aMixedFleet({ offerings: offeringsWithSpotAt(0.1) }));
    const allowed = command?.replacements.map(({ claim }) => claim.instanceTypes) ?? [];
    const prices = new Map(TYPES.map((type) => [type.name, (type.capacity.cpu ?? 0) / 20_000]));
    const worst = (types: readonly string[]) => Math.max(...types.map((name) => prices.get(name) ?? Infinity));
    const [spotTypes = [], onDemandTypes = []] = allowed;

    expect(worst(onDemandTypes) + 0.1 * worst(spotTypes)).toBeLessThan(0.4);
  });

  it('is not replaced by several nodes if moves have no price, as in Karpenter', () => {
    const settings = { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' as const };

    expect(decide(aMixedFleet({ settings })).gone).toEqual([]);
  });

  it('is not replaced if all of it is spot already and spot may not replace spot', () => {
    const spot: FleetNode = { ...MIXED, pool: 'batch', capacityType: 'spot' };

    expect(decide(aMixedFleet({ offerings: offeringsWithSpotAt(1) }, [spot])).gone).toEqual([]);
  });

  it('pays for the evictions of all its pods', () => {
    const { command } = decide(aMixedFleet());

    expect(command?.price?.evictions).toBe(4);
    expect(command?.price?.paybackMs).toBeLessThan(HOUR_MS);
  });
});
