import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { EXPENSIVE_POOL_TAINT } from '../../../shared/model/requirements/taints.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aFleet, type FleetNode, onDemand, priced, TYPES, web } from '../../disruption/fleet.ts';
import { aNodePool, aPod, aPodSpec, resources, ZONES } from '../../support/builders.ts';

const capacityType = (value: string) => [
  { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: [value] },
];
const ON_DEMAND = aNodePool({ name: 'general', requirements: capacityType('on-demand') });
const SPOT = aNodePool({
  name: 'batch',
  requirements: capacityType('spot'),
  taints: [{ key: 'workload', value: 'batch', effect: 'NoSchedule' }],
});

/** Spot costs this share of the on-demand price. */
const offeringsWithSpotAt = (share: number) => [
  ...TYPES.flatMap((type) => onDemand(type)),
  ...TYPES.flatMap((type) =>
    ZONES.map((zone) => priced(type.name, 'spot', zone, (share * (type.capacity.cpu ?? 0)) / 20_000)),
  ),
];

const pending = (name: string, over: Partial<PodSpec> = {}) =>
  aPod({ name, spec: aPodSpec({ requests: resources(1, 1, { pods: 1 }), ...over }) });
const SHOP = pending('shop');
const TOLERANT: Partial<PodSpec> = { tolerations: [{ key: 'workload', operator: 'Exists' }] };
const JOB = pending('job', TOLERANT);

/** A node without room of the pool `general`, launched when that was expensive. */
const TAINTED: FleetNode = {
  name: 'old',
  pods: [web('full', 2)],
  claim: { annotations: { 'mortise.sh/expensive-pool': 'true' } },
};

interface Situation extends Partial<ClusterSnapshot> {
  readonly spotShare?: number;
  readonly running?: readonly FleetNode[];
}

/** The pools whose new nodes get the taint, of all that launch one. */
function listTainted({ spotShare = 0.3, running = [], ...over }: Situation): string[] {
  const pools: readonly NodePool[] = [ON_DEMAND, SPOT];
  const snapshot = aFleet(running, { pools, offerings: offeringsWithSpotAt(spotShare), ...over });
  return planProvisioning(snapshot, 'decision-1').claims.flatMap(({ claim }) =>
    claim.annotations['mortise.sh/expensive-pool'] === 'true' ? [claim.pool] : [],
  );
}

describe('a new node of a NodePool', () => {
  it('gets the taint if a cheaper pool suits some of the pods that may run there', () => {
    expect(listTainted({ pods: [SHOP, JOB] })).toEqual(['general']);
  });

  it('gets none if no pod can run in another pool', () => {
    expect(listTainted({ pods: [SHOP] })).toEqual([]);
  });

  it('gets none if the other pool is hardly cheaper', () => {
    expect(listTainted({ pods: [SHOP, JOB], spotShare: 0.9 })).toEqual([]);
  });

  it('gets none if the heavier pool is the more expensive one', () => {
    const heavy = { ...ON_DEMAND, weight: 10 };

    expect(listTainted({ pods: [SHOP, JOB], pools: [heavy, SPOT] })).toEqual([]);
  });

  it('gets none if a pod that has the choice prefers nodes itself', () => {
    const choosy = pending('choosy', {
      ...TOLERANT,
      preferredNodeTerms: [{ weight: 1, term: capacityType('on-demand') }],
    });

    expect(listTainted({ pods: [SHOP, JOB, choosy] })).toEqual([]);
  });

  it('keeps the taint of its pool while no pod has a choice', () => {
    expect(listTainted({ pods: [SHOP], running: [TAINTED] })).toEqual(['general']);
  });

  it('gets none once its pool is the cheapest one for a pod', () => {
    const spotOnly = pending('spot', {
      ...TOLERANT,
      nodeSelector: { 'karpenter.sh/capacity-type': 'spot' },
    });
    const pods = [SHOP, JOB, spotOnly];

    expect(listTainted({ pods, running: [TAINTED], spotShare: 2 })).toEqual(['batch']);
  });

  it('gets none if pods are not steered', () => {
    const settings = { ...DEFAULT_SETTINGS, steerPods: false };

    expect(listTainted({ pods: [SHOP, JOB], settings })).toEqual([]);
  });
});

describe('the planner', () => {
  it('fills a node with the taint before it launches another one', () => {
    const tainted: FleetNode = {
      name: 'old',
      type: 'large',
      node: { taints: [EXPENSIVE_POOL_TAINT] },
    };
    const snapshot = aFleet([tainted], { pods: [SHOP, JOB], pools: [ON_DEMAND, SPOT] });

    const { claims, placements } = planProvisioning(snapshot, 'decision-1');

    expect(claims).toEqual([]);
    expect(placements.map(({ target }) => target)).toEqual(['old']);
  });
});
