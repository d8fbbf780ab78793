import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { type Pod, type PodSpec, podKey } from '../../../shared/model/pods/pod.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import { anyCluster } from '../support/any-cluster.ts';
import { aCluster, aPool, createPods, requesting } from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const of = (priority: number, over: Partial<PodSpec> = {}): Partial<PodSpec> => ({
  requests: requesting(1.5),
  priority,
  ...over,
});

describe('pods of higher priority', () => {
  const limited = aCluster({ pools: [aPool({ limits: { cpu: 4000 } })] });

  it('get what a limit leaves, though others were created first', () => {
    const outcome = provision(limited, ...createPods(2, 'low', of(0)), ...createPods(2, 'high', of(9)));

    expect(outcome.pending).toEqual(['low-1', 'low-2']);
  });

  it('get it even if it would be enough for more of the others', () => {
    const outcome = provision(
      limited,
      ...createPods(3, 'low', of(0, { requests: requesting(0.9) })),
      ...createPods(1, 'high', of(9, { requests: requesting(3.5) })),
    );

    expect(outcome.pending).toEqual(['low-1', 'low-2', 'low-3']);
  });

  it('leave the others what they do not need, again by priority', () => {
    const one = { requests: requesting(1) };
    const outcome = provision(
      limited,
      ...createPods(2, 'low', of(0, one)),
      ...createPods(2, 'mid', of(5, one)),
      ...createPods(1, 'high', of(9, one)),
    );

    expect(outcome.pending).toEqual(['low-1', 'low-2']);
  });

  it('change nothing if there is room for all', () => {
    const pods = [...createPods(2, 'a', of(0)), ...createPods(2, 'b', of(0))];
    const ranked = pods.map((pod, index) => ({
      ...pod,
      spec: { ...pod.spec, priority: index },
    }));
    const equal = provision(aCluster(), ...pods).plan;

    expect(provision(aCluster(), ...ranked).plan.hourlyUsd).toBe(equal.hourlyUsd);
  });
});

/** Some waiting pods have a higher priority. */
const anyRanks = (withRules: boolean) =>
  fc
    .tuple(anyCluster({ withRules }), fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 9 }))
    .map(([cluster, ranks]): ClusterSnapshot => {
      const specs = [...new Set(cluster.pods.map(({ spec }) => spec))];
      const ranked = new Map(
        specs.map((spec, index) => [spec, { ...spec, priority: ranks[index % ranks.length] ?? 0 }]),
      );
      const pods = cluster.pods.map((pod) => ({ ...pod, spec: ranked.get(pod.spec) ?? pod.spec }));
      return { ...cluster, pods };
    });

describe('any plan for pods of several priorities', () => {
  it('is valid', () => {
    fc.assert(
      fc.property(anyRanks(true), (cluster) => {
        expect(checkPlan(cluster, planProvisioning(cluster, 'decision-1'))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  // Rules between pods may require the others to be placed.
  it('places the pods of highest priority as if they were alone', () => {
    fc.assert(
      fc.property(anyRanks(false), (cluster) => {
        const top = Math.max(...cluster.pods.map(({ spec }) => spec.priority));
        const isTop = ({ spec }: Pod) => spec.priority === top;
        const pods = cluster.pods.filter((pod) => pod.nodeName !== undefined || isTop(pod));
        const missing = (snapshot: ClusterSnapshot) => {
          const remaining = planProvisioning(snapshot, 'decision-1').unplaced.flatMap((one) => one.pods);
          return snapshot.pods.filter((pod) => isTop(pod) && remaining.includes(podKey(pod))).length;
        };

        expect(missing(cluster)).toBeLessThanOrEqual(missing({ ...cluster, pods }));
      }),
      { numRuns: 60 },
    );
  });
});
