import { describe, expect, it } from 'vitest';
import {
  aCluster,
  aPool,
  aPoolRequiring,
  createPods,
  need,
  requesting,
  spreadOver,
  tiny,
  withPools,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerDomain, provision } from '../support/provision.ts';

const honouring = {
  topologySpread: [spreadOver(ZONE, { nodeTaintsPolicy: 'Honor' })],
  requests: requesting(1.5),
};

describe('nodeTaintsPolicy Honor', () => {
  it('counts nodes with PreferNoSchedule taints', () => {
    const cluster = aCluster({
      pools: [
        { ...aPoolRequiring(need(ZONE, 'In', Z1)), name: 'open', limits: { nodes: 1 } },
        aPool({
          name: 'rather-not',
          requirements: [need(ZONE, 'In', Z2)],
          taints: [{ key: 'rather', effect: 'PreferNoSchedule' }],
        }),
      ],
    });

    expect(countPodsPerDomain(provision(cluster, ...createPods(4, 'a', honouring)))).toEqual([2, 2]);
  });

  it('counts pods on nodes without the taint that the only NodePool has', () => {
    const cluster = aCluster({ pools: [aPoolRequiring(need(ZONE, 'In', Z1, Z2))] });
    const roomy = provision(cluster, tiny('first', { requests: requesting(0.1) }, { app: 'first' })).after;
    const tainted = withPools(
      roomy,
      aPool({ limits: { nodes: 1 }, taints: [{ key: 'rather', effect: 'PreferNoSchedule' }] }),
    );
    const spread = { ...honouring, requests: requesting(0.1) };

    expect(provision(tainted, ...createPods(2, 'a', spread)).pending).toHaveLength(1);
  });
});
