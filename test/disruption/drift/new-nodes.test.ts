import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDrift } from '../../../shared/disruption/drift/find-drift.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { buildLaunchLabels, listOfferingsForClaim } from '../../../shared/model/offerings/claim-offerings.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { anyCluster } from '../../scheduling/support/any-cluster.ts';
import { aLaunch, NOON, REGION } from '../../support/builders.ts';

/** The claim with every launch that its instance types permit. */
function listLaunches(claim: NodeClaim, { instanceTypes, offerings }: ClusterSnapshot): NodeClaim[] {
  const types = new Map((instanceTypes[claim.pool] ?? []).map((type) => [type.name, type]));
  const offered = listOfferingsForClaim(claim, REGION, types, (name) =>
    offerings.filter(({ instanceType }) => instanceType === name),
  );
  return offered.flatMap((offering) => {
    const type = types.get(offering.instanceType);
    if (!type) return [];
    const labels = buildLaunchLabels(claim, REGION, type, offering);
    return [{ ...claim, launch: aLaunch({ ...offering, labels }) }];
  });
}

describe('a newly launched node', () => {
  it('has not drifted, whichever type and zone EC2 chose', () => {
    fc.assert(
      fc.property(anyCluster({ limited: false }), (cluster) => {
        for (const { claim } of planProvisioning(cluster, 'p-1').claims) {
          const pool = cluster.pools.find(({ name }) => name === claim.pool);
          if (!pool) throw new Error('no pool');
          for (const launched of listLaunches(claim, cluster)) {
            const verdict = findDrift(launched, {
              pool,
              instanceTypes: cluster.instanceTypes[pool.name] ?? [],
              offerings: cluster.offerings,
              now: NOON + 2 * HOUR_MS,
            });
            expect(verdict).toEqual({ outcome: 'in-line' });
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
