import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import { keepExpectedPods } from '../../../shared/scheduling/input/expected-pods.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { countRunningPods, type RunningPodCounts } from '../../../shared/scheduling/topology/running-pod-counts.ts';
import { createAffinityRule } from '../../../shared/scheduling/topology/topology-rules.ts';
import { aPod, aPodSpec } from '../../support/builders.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import { anyCluster } from '../support/any-cluster.ts';
import { aCluster, affinityTo, createStepTypes, HOSTNAME, requesting } from '../support/fixture.ts';

const sized = (cpus: number, gib: number): PodSpec => aPodSpec({ requests: requesting(cpus, gib) });

/** Every template as a workload of its own. */
function owned(snapshot: ClusterSnapshot): ClusterSnapshot {
  const uids = new Map<PodSpec, string>();
  const uidOf = (spec: PodSpec): string => {
    return getOrCreate(uids, spec, () => `rs-${uids.size}`);
  };
  const pods = snapshot.pods.map((pod) => ({
    ...pod,
    owner: { kind: 'ReplicaSet', name: uidOf(pod.spec), uid: uidOf(pod.spec) },
  }));
  return { ...snapshot, pods };
}

/** The claims of the plan are stored; nothing is launched yet and every pod still waits. */
const underWay = (snapshot: ClusterSnapshot, { claims }: ProvisioningPlan): ClusterSnapshot => ({
  ...snapshot,
  claims: [...snapshot.claims, ...claims.map(({ claim }) => claim)],
});

const replicas = (owner: string, count: number, spec: PodSpec): Pod[] =>
  Array.from({ length: count }, (_, index) =>
    aPod({
      name: `${owner}-${index}`,
      spec,
      labels: { app: owner },
      owner: { kind: 'ReplicaSet', name: owner, uid: owner },
    }),
  );

describe('pods for which claims were planned', () => {
  const before = aCluster({
    types: createStepTypes(4),
    pods: [...replicas('web', 5, sized(1, 1)), ...replicas('cache', 5, sized(0.5, 3))],
  });
  const first = planProvisioning(before, 'p-1');

  it('are recorded by owner, because later pods have other names', () => {
    const expected = first.claims.map(({ claim }) => claim.expects ?? {});

    expect(expected.reduce((sum, { web = 0 }) => sum + web, 0)).toBe(5);
    expect(expected.reduce((sum, { cache = 0 }) => sum + cache, 0)).toBe(5);
  });

  it('keep their planned packing when other pods join', () => {
    const late = replicas('late', 3, sized(1, 1));
    const after = underWay({ ...before, pods: [...late, ...before.pods] }, first);
    const second = planProvisioning(after, 'p-2');
    const placed = new Map(second.placements.map(({ target, pods }) => [target, pods]));

    for (const { claim, pods } of first.claims) {
      expect(placed.get(claim.name)).toEqual(expect.arrayContaining([...pods]));
    }
    expect(checkPlan(after, second)).toEqual([]);
  });

  it("are counted there by other pods' rules, even by rules that were cached before", () => {
    const problem = prepare(underWay(before, first));
    const web = createAffinityRule('affinity', affinityTo('web', HOSTNAME), aPod(), {});
    const counted = ({ counts }: RunningPodCounts) => counts.values().reduce((sum, one) => sum + one, 0);

    expect(counted(countRunningPods(web, problem))).toBe(0);
    expect(counted(countRunningPods(web, keepExpectedPods(problem, before.pods).problem))).toBe(5);
  });

  it('are placed elsewhere if the claim turns out too small', () => {
    const small = {
      ...first,
      claims: first.claims.map((planned) => ({
        ...planned,
        claim: { ...planned.claim, instanceTypes: ['fake-it-1'] },
      })),
    };
    const after = underWay(before, small);

    expect(checkPlan(after, planProvisioning(after, 'p-2'))).toEqual([]);
  });

  it('cost no more than packing all pods anew, and can be bound, in any cluster', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(anyCluster({ isMoving: false }), (cluster) => {
        const snapshot = owned(cluster);
        const after = underWay(snapshot, planProvisioning(snapshot, 'p-1'));
        const forgotten = {
          ...after,
          claims: after.claims.map(({ expects: _, ...claim }) => claim),
        };
        const again = planProvisioning(after, 'p-2');
        const anew = planProvisioning(forgotten, 'p-2');

        expect(checkPlan(after, again)).toEqual([]);
        expect(again.unplaced.length).toBeLessThanOrEqual(anew.unplaced.length);
        if (anew.unplaced.length === 0) {
          expect(again.hourlyUsd).toBeLessThanOrEqual(anew.hourlyUsd + 1e-9);
        }
      }),
      { numRuns: 30 },
    );
  });
});
