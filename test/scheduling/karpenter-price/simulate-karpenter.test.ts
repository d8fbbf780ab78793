import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { isProvisionable } from '../../../shared/model/pods/disruption-pods.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { simulateKarpenterFor } from '../../support/simulated-karpenter.ts';
import { anyCluster } from '../support/any-cluster.ts';
import {
  aCluster,
  aPool,
  type ClusterOptions,
  createPods,
  fakeType,
  need,
  offering,
  requesting,
  spreadOver,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';

const [SMALL, LARGE] = [fakeType('small', { cpus: 2, gib: 4 }), fakeType('large', { cpus: 8, gib: 16 })];

/** A small node costs $1; a node for four times as much costs $5. */
const ofTwoSizes = (...pods: Pod[]): ClusterSnapshot => ofTypes({}, ...pods);
const ofTypes = (scene: ClusterOptions, ...pods: Pod[]): ClusterSnapshot =>
  aCluster({
    types: [SMALL, LARGE],
    priced: [SMALL, LARGE].map((type) => offering(type, 'on-demand', Z1, type === SMALL ? 1 : 5)),
    ...scene,
    pods,
  });

describe('simulateKarpenter', () => {
  it('adds pods to a claim while any type can hold them all, at any price', () => {
    const [run] = simulateKarpenterFor(ofTwoSizes(...createPods(4, 'a', { requests: requesting(1) })));

    expect(run).toEqual({ pods: 4, hourlyUsd: 5 });
  });

  it('places a pod on the claim with the fewest pods, so that no claim has to be large', () => {
    const zoned = (zone: string) => ({ requests: requesting(5), nodeSelector: { [ZONE]: zone } });
    const pods = [...createPods(1, 'a', zoned(Z1)), ...createPods(1, 'b', zoned(Z2))];
    const huge = fakeType('huge', { cpus: 16, gib: 32 });
    const types = [LARGE, huge];
    const priced = [Z1, Z2].flatMap((zone) => [
      offering(LARGE, 'on-demand', zone, 5),
      offering(huge, 'on-demand', zone, 20),
    ]);
    const more = createPods(2, 'c', { requests: requesting(2.5) });

    expect(simulateKarpenterFor(ofTypes({ types, priced }, ...pods, ...more))).toEqual([{ pods: 4, hourlyUsd: 10 }]);
  });

  it('places the largest pods first, even if they are last in the list', () => {
    const pods = [
      ...createPods(6, 'a', { requests: requesting(0.9) }),
      ...createPods(1, 'b', { requests: requesting(2) }),
    ];

    expect(simulateKarpenterFor(ofTwoSizes(...pods))).toEqual([{ pods: 7, hourlyUsd: 6 }]);
  });

  it('opens claims of the heaviest pool only while the largest type of a claim keeps its limits', () => {
    const heavy = aPool({ name: 'heavy', weight: 10, limits: { cpu: 10_000 } });
    const pods = createPods(2, 'a', { requests: requesting(5) });
    const [run] = simulateKarpenterFor(ofTypes({ pools: [heavy] }, ...pods));

    expect(run?.pods).toBe(1);
  });

  it('spreads pods over zones one by one, and pays for the zones that map order picks', () => {
    const spread = createPods(1, 'a', {
      requests: requesting(1),
      topologySpread: [spreadOver(ZONE)],
    });
    const priced = [offering(SMALL, 'on-demand', Z1, 1), offering(SMALL, 'on-demand', Z2, 2)];
    const runs = simulateKarpenterFor(ofTypes({ types: [SMALL], priced }, ...spread), 20);

    // The prices differ, so the cheapest run may be among the next ones.
    expect(runs).toHaveLength(60);
    expect(new Set(runs.map(({ hourlyUsd }) => hourlyUsd))).toEqual(new Set([1, 2]));
  });

  it('drops the preferences of a pod before it leaves the pod unplaced', () => {
    const term = [need(ZONE, 'In', 'nowhere')];
    const [pod] = createPods(1, 'a', { preferredNodeTerms: [{ weight: 1, term }] });

    expect(simulateKarpenterFor(ofTwoSizes(...(pod ? [pod] : [])))).toEqual([{ pods: 1, hourlyUsd: 1 }]);
  });

  it('makes a single run if nothing depends on map order', () => {
    expect(simulateKarpenterFor(ofTwoSizes(...createPods(3, 'a')), 12)).toHaveLength(1);
  });

  it('gives equal results for equal clusters', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const runs = simulateKarpenterFor(cluster, 2);
        const moving = cluster.pods.filter(({ nodeName }) => nodeName !== undefined);
        const maxPods = cluster.pods.filter(isProvisionable).length + moving.length;

        expect(simulateKarpenterFor(structuredClone(cluster), 2)).toEqual(runs);
        for (const { pods, hourlyUsd } of runs) {
          expect(pods).toBeLessThanOrEqual(maxPods);
          expect(hourlyUsd).toBeGreaterThanOrEqual(0);
          expect(hourlyUsd).toBeLessThan(Infinity);
        }
      }),
      { numRuns: 40 },
    );
  });
});
