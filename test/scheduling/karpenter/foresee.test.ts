import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { isProvisionable } from '../../../shared/model/disruption-pods.ts';
import type { Pod } from '../../../shared/model/pod.ts';
import { foreseenOf } from '../../support/foreseen.ts';
import { anyCluster } from '../any-cluster.ts';
import {
  aCluster,
  aPool,
  asking,
  fakeType,
  need,
  offering,
  type Scene,
  several,
  spreadOver,
  Z1,
  Z2,
  ZONE,
} from '../fixture.ts';

const [SMALL, LARGE] = [
  fakeType('small', { cpus: 2, gib: 4 }),
  fakeType('large', { cpus: 8, gib: 16 }),
];

/** $1 for a small node, $5 for one that holds four times as much. */
const ofTwoSizes = (...pods: Pod[]): ClusterSnapshot => ofTypes({}, ...pods);
const ofTypes = (scene: Scene, ...pods: Pod[]): ClusterSnapshot =>
  aCluster({
    types: [SMALL, LARGE],
    priced: [SMALL, LARGE].map((type) => offering(type, 'on-demand', Z1, type === SMALL ? 1 : 5)),
    ...scene,
    pods,
  });

describe('Karpenter, foreseen', () => {
  it('adds to a node while any type can hold it all, whatever that costs', () => {
    const [run] = foreseenOf(ofTwoSizes(...several(4, 'a', { requests: asking(1) })));

    expect(run).toEqual({ pods: 4, hourlyUsd: 5 });
  });

  it('puts a pod on the emptiest of the nodes to be, so that none has to be large', () => {
    const zoned = (zone: string) => ({ requests: asking(5), nodeSelector: { [ZONE]: zone } });
    const pods = [...several(1, 'a', zoned(Z1)), ...several(1, 'b', zoned(Z2))];
    const huge = fakeType('huge', { cpus: 16, gib: 32 });
    const types = [LARGE, huge];
    const priced = [Z1, Z2].flatMap((zone) => [
      offering(LARGE, 'on-demand', zone, 5),
      offering(huge, 'on-demand', zone, 20),
    ]);
    const more = several(2, 'c', { requests: asking(2.5) });

    expect(foreseenOf(ofTypes({ types, priced }, ...pods, ...more))).toEqual([
      { pods: 4, hourlyUsd: 10 },
    ]);
  });

  it('takes the largest pods first, though they are the last of the list', () => {
    const pods = [
      ...several(6, 'a', { requests: asking(0.9) }),
      ...several(1, 'b', { requests: asking(2) }),
    ];

    expect(foreseenOf(ofTwoSizes(...pods))).toEqual([{ pods: 7, hourlyUsd: 6 }]);
  });

  it('opens nodes of the heaviest pool, and leaves no limit behind that its largest type could break', () => {
    const heavy = aPool({ name: 'heavy', weight: 10, limits: { cpu: 10_000 } });
    const pods = several(2, 'a', { requests: asking(5) });
    const [run] = foreseenOf(ofTypes({ pools: [heavy] }, ...pods));

    expect(run?.pods).toBe(1);
  });

  it('spreads over zones one pod after the other, and pays for the zones that were drawn', () => {
    const spread = several(1, 'a', { requests: asking(1), topologySpread: [spreadOver(ZONE)] });
    const priced = [offering(SMALL, 'on-demand', Z1, 1), offering(SMALL, 'on-demand', Z2, 2)];
    const runs = foreseenOf(ofTypes({ types: [SMALL], priced }, ...spread), 20);

    expect(runs).toHaveLength(20);
    expect(new Set(runs.map(({ hourlyUsd }) => hourlyUsd))).toEqual(new Set([1, 2]));
  });

  it('gives up what the pod would like before it is left without a place', () => {
    const term = [need(ZONE, 'In', 'nowhere')];
    const [pod] = several(1, 'a', { preferredNodeTerms: [{ weight: 1, term }] });

    expect(foreseenOf(ofTwoSizes(...(pod ? [pod] : [])))).toEqual([{ pods: 1, hourlyUsd: 1 }]);
  });

  it('is one run where nothing is drawn', () => {
    expect(foreseenOf(ofTwoSizes(...several(3, 'a')), 12)).toHaveLength(1);
  });

  it('comes to the same for an equal cluster, whatever it is', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const runs = foreseenOf(cluster, 2);
        const moving = cluster.pods.filter(({ nodeName }) => nodeName !== undefined);
        const most = cluster.pods.filter(isProvisionable).length + moving.length;

        expect(foreseenOf(structuredClone(cluster), 2)).toEqual(runs);
        for (const { pods, hourlyUsd } of runs) {
          expect(pods).toBeLessThanOrEqual(most);
          expect(hourlyUsd).toBeGreaterThanOrEqual(0);
          expect(hourlyUsd).toBeLessThan(Infinity);
        }
      }),
      { numRuns: 40 },
    );
  });
});
