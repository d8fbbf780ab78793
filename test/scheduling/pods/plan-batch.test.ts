import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import { selectPlanBatch } from '../../../shared/scheduling/input/plan-batch.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { NOON } from '../../support/builders.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import { anyCluster } from '../support/any-cluster.ts';
import { aCluster, createPods, requesting, tiny } from '../support/fixture.ts';

const names = (pods: readonly Pod[]): string[] => pods.map(({ name }) => name);

/** A hundred single pods, created one per second. */
const waiting = Array.from({ length: 100 }, (_, second) => ({
  ...tiny(`pod-${second}`),
  createdAt: NOON - 1000 * (100 - second),
}));

describe('the batch of a plan', () => {
  it('has all pods if one plan can take them', () => {
    expect(selectPlanBatch(waiting, NOON, 100)).toEqual({ pods: waiting, deferred: [] });
  });

  it('has whole workloads', () => {
    const owner = { kind: 'ReplicaSet', name: 'a', uid: 'rs-a' };
    const replicas = createPods(50, 'a').map((pod) => ({ ...pod, owner, createdAt: 0 }));
    const { pods } = selectPlanBatch([...waiting, ...replicas], NOON, 2);

    expect(pods).toHaveLength(51);
  });

  it('has one half of workloads that have waited longest', () => {
    expect(names(selectPlanBatch(waiting, NOON, 10).pods)).toEqual(
      expect.arrayContaining(['pod-0', 'pod-1', 'pod-2', 'pod-3', 'pod-4']),
    );
  });

  it('has workloads of higher priority first', () => {
    const vital = { ...tiny('vital', { priority: 9 }), createdAt: NOON };

    expect(names(selectPlanBatch([...waiting, vital], NOON, 10).pods)).toContain('vital');
  });

  it('has a pod of every namespace, however many pods another one has', () => {
    const others = ['shop', 'bank'].map((namespace) => ({
      ...tiny(`only-${namespace}`),
      namespace,
      createdAt: NOON,
    }));
    const { pods } = selectPlanBatch([...waiting, ...others], NOON, 10);

    expect(names(pods)).toEqual(expect.arrayContaining(['only-shop', 'only-bank']));
    expect(pods).toHaveLength(10);
  });

  it('does not starve workloads behind some that can never be placed', () => {
    const observed = new Set<string>();
    // A workload is not chosen with probability 95 %: two hundred times in a row once in thirty
    // thousand runs.
    for (let round = 0; round < 400; round++) {
      for (const pod of selectPlanBatch(waiting, NOON + 7 * round, 10).pods) observed.add(podKey(pod));
    }

    expect(observed.size).toBe(waiting.length);
  });
});

describe('a plan for some of the pods', () => {
  it('lists the deferred pods without reporting them to users', () => {
    const cluster = aCluster({ pods: ['a', 'b', 'c'].map((name) => tiny(name)) });
    const { claims, unplaced } = planProvisioning(cluster, 'decision-1', { maxWorkloads: 2 });

    expect(claims.flatMap(({ pods }) => pods)).toHaveLength(2);
    expect(unplaced).toEqual([
      {
        pods: [expect.any(String)],
        pools: [{ pool: 'default', reasons: [{ code: 'next-plan', fields: { pods: '1' } }] }],
        nodes: [],
        waits: true,
      },
    ]);
  });

  it('is valid on its own', () => {
    fc.assert(
      fc.property(anyCluster(), fc.integer({ min: 1, max: 3 }), (cluster, mostWorkloads) => {
        const plan = planProvisioning(cluster, 'decision-1', { maxWorkloads: mostWorkloads });

        expect(checkPlan(cluster, plan)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps no capacity for buffers or anticipated pods', () => {
    const owners = [
      {
        kind: 'ReplicaSet' as const,
        namespace: 'default',
        name: 'a',
        uid: 'rs-a',
        desiredPods: 9,
        creates: 'at-once' as const,
        isFailing: false,
      },
    ];
    const owner = { kind: 'ReplicaSet', name: 'a', uid: 'rs-a' };
    const pods = [...createPods(2, 'a', { requests: requesting(1) }).map((pod) => ({ ...pod, owner })), tiny('b')];
    const plan = planProvisioning(aCluster({ pods, owners }), 'decision-1', { maxWorkloads: 1 });

    expect(plan.claims.flatMap(({ anticipated = [] }) => anticipated)).toEqual([]);
  });
});
