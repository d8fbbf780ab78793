import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { explainChoice } from '../../../shared/model/explanations/plan-text.ts';
import { CAPACITY_TYPE_LABEL, NODEPOOL_LABEL } from '../../../shared/model/labels.ts';
import {
  computeMissingOnDemand,
  type OnDemandShare,
  type SharedCapacity,
} from '../../../shared/model/offerings/on-demand-share.ts';
import type { PlannedClaim } from '../../../shared/model/plans.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import {
  aCluster,
  aPool,
  CAPACITY,
  createOfferings,
  createPods,
  createStepTypes,
  need,
  requesting,
  tiny,
} from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const types = createStepTypes(16);
/** On-demand costs three times as much as spot. */
const priced = types.flatMap((type, step) => createOfferings(type, (step + 1) * 0.1, (step + 1) * 0.033));
const sharing = (base: number, percentAboveBase: number) => ({
  onDemandShare: { base, percentAboveBase },
});
const clusterOf = (pool: Parameters<typeof aPool>[0], over: Partial<ClusterSnapshot> = {}) =>
  aCluster({ types, priced, pools: [aPool(pool)], ...over });

const pods = (count: number, name = 'web', over = {}) => createPods(count, name, { requests: requesting(1), ...over });

const annotated = (count: number, share: OnDemandShare, name = 'web', over = {}): Pod[] =>
  pods(count, name, over).map((pod) => ({
    ...pod,
    annotations: {
      'mortise.sh/on-demand-base': `${share.base}`,
      'mortise.sh/on-demand-percent-above-base': `${share.percentAboveBase}`,
    },
    owner: { kind: 'StatefulSet', name: 'web', uid: 'web' },
  }));

const sumCpus = (nodes: ClusterSnapshot['nodes']): number =>
  nodes.reduce((sum, { capacity }) => sum + (capacity.cpu ?? 0) / 1000, 0);

const isSpot = ({ labels }: ClusterSnapshot['nodes'][number]): boolean => labels[CAPACITY_TYPE_LABEL] === 'spot';

function poolCapacity({ nodes }: ClusterSnapshot, pool = 'default'): SharedCapacity {
  const own = nodes.filter(({ labels }) => labels[NODEPOOL_LABEL] === pool);
  return { onDemand: sumCpus(own.filter((node) => !isSpot(node))), total: sumCpus(own) };
}

function podCounts({ nodes, pods: all }: ClusterSnapshot): SharedCapacity {
  const spot = new Set(nodes.filter(isSpot).map(({ name }) => name));
  const bound = all.filter(({ nodeName }) => nodeName !== undefined);
  return {
    onDemand: bound.filter(({ nodeName = '' }) => !spot.has(nodeName)).length,
    total: bound.length,
  };
}

const capacityTypes = (planned: PlannedClaim): readonly string[] | undefined =>
  planned.claim.requirements.find(({ key }) => key === CAPACITY)?.values;

describe('the share of a NodePool on demand', () => {
  it('makes the first node on demand and the others spot', () => {
    const first = provision(clusterOf(sharing(2, 0)), ...pods(1));
    const second = provision(first.after, ...pods(20, 'more'));

    expect(first.launched.map(isSpot)).toEqual([false]);
    expect(second.launched.every(isSpot)).toBe(true);
  });

  it('counts the nodes that run', () => {
    const share = { base: 0, percentAboveBase: 50 };
    const spot = provision(clusterOf({}), ...pods(12)).after;
    const [pool] = spot.pools;
    const now = { ...spot, pools: [{ ...(pool ?? aPool()), onDemandShare: share }] };

    expect(provision(now, ...pods(6, 'more')).launched.map(isSpot)).toEqual([false]);
  });

  it.each([30, 600])('is kept in a plan for %d pods', (count) => {
    const { after, launched } = provision(clusterOf(sharing(4, 25)), ...pods(count));
    const { onDemand, total } = poolCapacity(after);

    expect(onDemand).toBeGreaterThanOrEqual(4 + (total - 4) / 4);
    // At most one node more than needed.
    expect(onDemand).toBeLessThanOrEqual(4 + (total - 4) / 4 + 16);
    expect(launched.some(isSpot)).toBe(true);
  });

  it('launches no larger node on demand than it asks for', () => {
    const { after } = provision(clusterOf(sharing(2, 20)), ...pods(10));
    const { onDemand, total } = poolCapacity(after);

    expect(onDemand).toBeLessThan(total / 2);
  });

  it('counts claims that may still become spot as spot', () => {
    const cluster = { ...clusterOf(sharing(0, 50)), pods: pods(8) };
    const { claims } = planProvisioning(cluster, 'decision-1');
    const open = claims.map(({ claim }) => ({
      ...claim,
      requirements: claim.requirements.map((one) =>
        one.key === CAPACITY ? { ...one, values: ['spot', 'on-demand'] } : one,
      ),
    }));
    const next = planProvisioning(
      {
        ...cluster,
        claims: open,
        pods: pods(8, 'later', { nodeSelector: { [CAPACITY]: 'spot' } }),
      },
      'decision-2',
    );

    expect(next.claims).toHaveLength(1);
    expect(next.claims.map(capacityTypes)).toEqual([['spot']]);
  });

  it('runs pods on spot if there is no on-demand capacity', () => {
    const unavailable = [{ capacityType: 'on-demand' as const, until: Infinity }];
    const { launched, pending } = provision(clusterOf(sharing(0, 100), { unavailable }), ...pods(3));

    expect(pending).toEqual([]);
    expect(launched.every(isSpot)).toBe(true);
  });

  it('runs pods on demand if there is no spot capacity', () => {
    const unavailable = [{ capacityType: 'spot' as const, until: Infinity }];
    const { launched, pending } = provision(clusterOf(sharing(0, 10), { unavailable }), ...pods(3));

    expect(pending).toEqual([]);
    expect(launched.some(isSpot)).toBe(false);
  });

  it('leaves a pod that requires spot on spot', () => {
    const onSpot = pods(3, 'web', { nodeSelector: { [CAPACITY]: 'spot' } });

    expect(provision(clusterOf(sharing(0, 100)), ...onSpot).launched.every(isSpot)).toBe(true);
  });

  it('keeps minValues', () => {
    const requirements = [{ ...need('node.kubernetes.io/instance-type', 'Exists'), minValues: 3 }] as const;
    const pool = { ...sharing(0, 100), requirements };
    const { plan } = provision(clusterOf(pool), ...pods(3));

    expect(plan.claims.map(capacityTypes)).toEqual([['on-demand']]);
    expect(plan.claims[0]?.claim.instanceTypes.length).toBeGreaterThanOrEqual(3);
  });

  it('is named by the explanation of the node', () => {
    const { plan } = provision(clusterOf(sharing(2, 0)), ...pods(1));

    expect(plan.claims.map(explainChoice)).toEqual([
      expect.stringContaining('It is on demand for the share that pool default keeps there.'),
    ]);
  });

  it('is kept after any sequence of plans', () => {
    const waves = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
    const anyShare = fc.record({
      base: fc.integer({ min: 0, max: 20 }),
      percentAboveBase: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(anyShare, waves, (onDemandShare, sizes) => {
        let cluster = clusterOf({ onDemandShare });
        for (const [wave, size] of sizes.entries()) {
          cluster = provision(cluster, ...pods(size, `wave-${wave}`)).after;
          expect(computeMissingOnDemand(onDemandShare, poolCapacity(cluster), 'vCPUs')).toBe(0);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('the share of a workload on demand', () => {
  it('plans nodes on demand for as many pods as it asks for', () => {
    const share = { base: 2, percentAboveBase: 25 };
    const { after, plan } = provision(clusterOf({}), ...annotated(10, share));

    expect(podCounts(after)).toEqual({ onDemand: 4, total: 10 });
    expect(plan.claims.map(explainChoice).join(' ')).toContain(
      'on demand for the share that the workloads of its pods keep',
    );
  });

  it('counts the pods that run', () => {
    const share = { base: 2, percentAboveBase: 0 };
    const first = provision(clusterOf({}), ...annotated(2, share));
    const second = provision(first.after, ...annotated(9, share, 'next'));

    expect(podCounts(second.after)).toEqual({ onDemand: 2, total: 11 });
  });

  it('counts the pods of all ReplicaSets of a Deployment', () => {
    const ofReplicaSet = (pod: Pod, hash: string): Pod => ({
      ...pod,
      labels: { 'pod-template-hash': hash },
      owner: { kind: 'ReplicaSet', name: `web-${hash}`, uid: hash },
    });
    const share = { base: 2, percentAboveBase: 0 };
    const old = annotated(4, share).map((pod) => ofReplicaSet(pod, 'old'));
    const young = annotated(4, share, 'young').map((pod) => ofReplicaSet(pod, 'young'));
    const first = provision(clusterOf({}), ...old);

    expect(podCounts(provision(first.after, ...young).after)).toEqual({ onDemand: 2, total: 8 });
  });

  it('leaves other workloads on spot', () => {
    const share = { base: 2, percentAboveBase: 0 };
    const others = pods(5, 'other');
    const { after } = provision(clusterOf({}), ...annotated(4, share), ...others);

    expect(podCounts(after)).toEqual({ onDemand: 2, total: 9 });
  });

  it('runs pods on spot if no NodePool has on-demand capacity', () => {
    const pool = { requirements: [need(CAPACITY, 'In', 'spot')] };
    const share = { base: 2, percentAboveBase: 0 };
    const { after, pending } = provision(clusterOf(pool), ...annotated(4, share));

    expect(pending).toEqual([]);
    expect(podCounts(after)).toEqual({ onDemand: 0, total: 4 });
  });

  it('is ignored if it is invalid', () => {
    const invalid = { ...tiny('web'), annotations: { 'mortise.sh/on-demand-base': 'two' } };

    expect(provision(clusterOf({}), invalid).launched.map(isSpot)).toEqual([true]);
  });

  it('is kept after any sequence of plans', () => {
    const waves = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 });
    const anyShare = fc.record({
      base: fc.integer({ min: 0, max: 20 }),
      percentAboveBase: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(anyShare, waves, (share, sizes) => {
        let cluster = clusterOf({});
        for (const [wave, size] of sizes.entries()) {
          cluster = provision(cluster, ...annotated(size, share, `wave-${wave}`)).after;
          expect(computeMissingOnDemand(share, podCounts(cluster), 'pods')).toBe(0);
        }
      }),
      { numRuns: 15 },
    );
  });
});
