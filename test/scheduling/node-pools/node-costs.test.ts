import { describe, expect, it } from 'vitest';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aCluster, aPool, createOfferings, createPods, fakeType, requesting } from '../support/fixture.ts';

const small = fakeType('small', { cpus: 1.2, gib: 8, pods: 20 });
const large = fakeType('large', { cpus: 4.2, gib: 32, pods: 80 });
/** Four small nodes are cheaper than a large one. */
const priced = [...createOfferings(small, 0.1), ...createOfferings(large, 0.44)];
const pods = [
  ...createPods(2, 'web', { requests: requesting(1, 1) }),
  ...createPods(2, 'api', { requests: requesting(1, 2) }),
];

function planWith(settingUsd: number, pools: readonly NodePool[]) {
  const settings = { ...DEFAULT_SETTINGS, perNodeHourlyUsd: settingUsd };
  return planProvisioning(aCluster({ types: [small, large], priced, pods, pools, settings }), 'decision-1');
}

describe('the cost of a node besides its instance', () => {
  it.each<[string, number, number | undefined, number]>([
    ['is 0, the cheapest instances are launched', 0, undefined, 4],
    ['is set for the cluster, fewer nodes are launched', 0.05, undefined, 1],
    ['is set for the NodePool, it replaces that of the cluster', 0, 0.05, 1],
    ['is 0 for the NodePool, it replaces that of the cluster', 0.05, 0, 4],
  ])('decides the number of nodes: if it %s', (_, settingUsd, poolUsd, nodes) => {
    const pool = aPool(poolUsd === undefined ? {} : { perNodeHourlyUsd: poolUsd });

    expect(planWith(settingUsd, [pool]).claims).toHaveLength(nodes);
  });

  it('is not part of the reported price', () => {
    expect(planWith(0.05, [aPool()]).hourlyUsd).toBeCloseTo(0.44, 9);
  });

  it('makes the NodePool with the cheaper nodes win', () => {
    const dear = aPool({ name: 'dear', perNodeHourlyUsd: 0.5 });
    const cheap = aPool({ name: 'cheap', perNodeHourlyUsd: 0 });

    const { claims } = planWith(0.05, [dear, cheap]);

    expect(new Set(claims.map(({ claim }) => claim.pool))).toEqual(new Set(['cheap']));
  });
});
