import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { aNodeClaim } from '../support/builders.ts';
import { aCluster, aPool, createPods, need, requesting, TYPE, tiny, Z1, ZONE } from './support/fixture.ts';
import { isPlanned, provision } from './support/provision.ts';

describe('a plan', () => {
  it('leaves out a pod with a scheduling gate', () => {
    const { unschedulableSince: _, ...held } = tiny('a', { schedulingGates: ['quota'] });
    const { plan } = provision(aCluster(), held);

    expect([...plan.claims, ...plan.unplaced]).toEqual([]);
  });

  it('counts a claim that is not launched yet as its smallest type', () => {
    const claim = aNodeClaim({
      name: 'on-its-way',
      pool: 'default',
      instanceTypes: ['small', 'default'],
      requirements: [need(TYPE, 'In', 'small', 'default'), need(ZONE, 'In', Z1)],
    });
    const cluster = aCluster({ claims: [claim] });

    const fits = provision(cluster, tiny('a', { requests: requesting(1.5) }));
    const doesNot = provision(cluster, tiny('a', { requests: requesting(3) }));

    expect(isPlanned(fits, 'a', 'on-its-way')).toBe(true);
    expect(doesNot.launched).toHaveLength(1);
  });

  it('writes the hash of the NodePool to the claim', () => {
    const cluster = aCluster({ pools: [aPool({ hash: 'as-decided' })] });
    const [planned] = planProvisioning({ ...cluster, pods: [tiny('a')] }, 'd').claims;

    expect(planned?.claim.poolHash).toBe('as-decided');
    expect(planned?.claim.annotations['karpenter.sh/nodepool-hash']).toBe('as-decided');
  });

  it.each([
    ['its pool sets', { terminationGracePeriodMs: MINUTE_MS }, MINUTE_MS],
    ['none, where its pool sets none', {}, undefined],
  ])('gives a claim the grace period that %s', (_, pool, grace) => {
    const [planned] = provision(aCluster({ pools: [aPool(pool)] }), tiny('a')).plan.claims;

    expect(planned?.claim.terminationGracePeriodMs).toBe(grace);
  });

  it('covers every pod, because it has no deadline', () => {
    const pods = createPods(3000, 'a', { requests: requesting(0.5) });
    const { claims, placements, unplaced } = planProvisioning(
      { ...aCluster({ pools: [aPool({ limits: { nodes: 100 } })] }), pods },
      'd',
    );
    const named = [...claims, ...placements, ...unplaced].flatMap((one) => one.pods);

    expect(new Set(named).size).toBe(3000);
  });
});
