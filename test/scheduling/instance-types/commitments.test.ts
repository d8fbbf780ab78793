import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { explainChoice } from '../../../shared/model/explanations/plan-text.ts';
import type { Commitment } from '../../../shared/model/offerings/commitment.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { computeCoverage } from '../../../shared/scheduling/input/commitment-coverage.ts';
import { computeFleetBound } from '../../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { aNode, NOON, resources } from '../../support/builders.ts';
import {
  aCluster,
  aPool,
  aPoolInZones,
  CAPACITY,
  createOfferings,
  createPods,
  fakeType,
  need,
  requesting,
  Z1,
  Z2,
} from '../support/fixture.ts';
import { listLaunchedTypes, provision } from '../support/provision.ts';

const types = [
  fakeType('a1.large', { cpus: 2, gib: 4, pods: 20 }),
  fakeType('a1.xlarge', { cpus: 4, gib: 8, pods: 40 }),
  fakeType('a1.2xlarge', { cpus: 8, gib: 16, pods: 80 }),
  fakeType('b1.large', { cpus: 2, gib: 4, pods: 20 }),
  fakeType('b1.2xlarge', { cpus: 8, gib: 16, pods: 80 }),
];
/** Family b costs nine tenths of family a; spot costs a third. */
const priced = types.flatMap((type) => {
  const usd = ((type.capacity.cpu ?? 0) / 20_000) * (type.name.startsWith('a1') ? 1 : 0.9);
  return createOfferings(type, usd, usd / 3);
});
const clusterWith = (commitments: readonly Commitment[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aCluster({ types, priced, settings: { ...DEFAULT_SETTINGS, commitments }, ...over });

const instances = (instanceType: string, amount: number, zone?: string): Commitment => ({
  id: `${instanceType} reserved`,
  unit: 'instances',
  amount,
  instanceType,
  ...(zone !== undefined && { zone }),
});
const units = (family: string, amount: number): Commitment => ({
  id: `${family} units`,
  unit: 'normalized-units',
  amount,
  family,
});
const plan = (amount: number, family?: string): Commitment => ({
  id: 'plan',
  unit: 'usd',
  amount,
  priceShare: 0.5,
  ...(family !== undefined && { family }),
});

const pods = (count: number, cpus = 1.5, name = 'web') => createPods(count, name, { requests: requesting(cpus) });

const capacityTypesOf = ({ nodes }: ClusterSnapshot): readonly (string | undefined)[] =>
  nodes.map(({ labels }) => labels[CAPACITY]);

describe('commitments', () => {
  it('come before spot, until they are used up', () => {
    const made = provision(clusterWith([instances('a1.large', 2)]), ...pods(3));
    const { after } = made;

    expect(listLaunchedTypes(made).filter((type) => type === 'a1.large')).toHaveLength(2);
    expect(capacityTypesOf(after).filter((type) => type === 'on-demand')).toHaveLength(2);
  });

  it('count the instances that run', () => {
    const first = provision(clusterWith([instances('a1.large', 2)]), ...pods(2));
    const second = provision(first.after, ...pods(2, 1.5, 'more'));

    expect(capacityTypesOf(first.after)).toEqual(['on-demand', 'on-demand']);
    expect(second.launched.map(({ labels }) => labels[CAPACITY])).not.toContain('on-demand');
  });

  it('count the nodes of node groups, which use them as well', () => {
    const labels = {
      'node.kubernetes.io/instance-type': 'a1.large',
      'topology.kubernetes.io/zone': Z1,
      'eks.amazonaws.com/nodegroup': 'system',
      'eks.amazonaws.com/capacityType': 'ON_DEMAND',
    };
    const node = aNode({ name: 'system', labels, allocatable: resources(0, 0) });
    const { launched } = provision(clusterWith([instances('a1.large', 1)], { nodes: [node] }), ...pods(1));

    expect(launched.map((one) => one.labels[CAPACITY])).toEqual(['spot']);
  });

  it('of a zone are used in that zone', () => {
    const commitments = [instances('a1.large', 1, Z2)];
    const there = provision(clusterWith(commitments), ...pods(1));
    const elsewhere = provision(clusterWith(commitments, { pools: [aPoolInZones(Z1)] }), ...pods(1));

    expect(there.launched.map(({ labels }) => labels['topology.kubernetes.io/zone'])).toEqual([Z2]);
    expect(capacityTypesOf(elsewhere.after)).toEqual(['spot']);
  });

  it('of a family cover the sizes whose units are left', () => {
    // Eight units are one xlarge, or two large.
    const { after } = provision(clusterWith([units('a1', 8)]), ...pods(4, 1.8));
    const used = after.nodes
      .filter(({ labels }) => labels[CAPACITY] === 'on-demand')
      .map(({ labels }) => labels['node.kubernetes.io/instance-type']);

    expect([['a1.xlarge'], ['a1.large', 'a1.large']]).toContainEqual(used);
  });

  it('of a Savings Plan cover as many dollars per hour', () => {
    // At half the price, $0.1 per hour are two a1.large of $0.1.
    const { after } = provision(clusterWith([plan(0.1, 'a1')]), ...pods(6, 1.8));
    const usedUsd = after.nodes
      .filter(({ labels }) => labels[CAPACITY] === 'on-demand')
      .reduce((sum, { capacity }) => sum + ((capacity.cpu ?? 0) / 20_000) * 0.5, 0);

    expect(usedUsd).toBeCloseTo(0.1, 9);
  });

  it('that have ended cover nothing', () => {
    const ended = [{ ...instances('a1.large', 5), endsAt: NOON }];

    expect(capacityTypesOf(provision(clusterWith(ended), ...pods(1)).after)).toEqual(['spot']);
  });

  it('are left alone by NodePools that launch spot only', () => {
    const pools = [aPool({ requirements: [need(CAPACITY, 'In', 'spot')] })];
    const { after } = provision(clusterWith([instances('a1.large', 5)], { pools }), ...pods(1));

    expect(capacityTypesOf(after)).toEqual(['spot']);
  });

  it('are left alone while EC2 has no capacity of the type', () => {
    const unavailable = [{ instanceType: 'a1.large', capacityType: 'on-demand' as const, until: Infinity }];
    const { after } = provision(clusterWith([instances('a1.large', 5)], { unavailable }), ...pods(1));

    expect(capacityTypesOf(after)).toEqual(['spot']);
  });

  it('are filled with the pods that would cost most elsewhere', () => {
    const onDemandOnly = createPods(1, 'steady', {
      requests: requesting(1.5),
      nodeSelector: { [CAPACITY]: 'on-demand' },
    });
    const { plan: made } = provision(clusterWith([instances('a1.large', 1)]), ...pods(3), ...onDemandOnly);
    const covered = made.claims.filter(({ choice }) => choice?.commitment !== undefined);

    expect(covered.flatMap(({ pods: held }) => held)).toEqual(['default/steady-1']);
  });

  it('are named by the explanation of the node', () => {
    const { plan: made } = provision(clusterWith([instances('a1.large', 1)]), ...pods(1));

    expect(made.claims.map(explainChoice)).toEqual([
      expect.stringContaining('It costs nothing more: a1.large reserved pays for it.'),
    ]);
  });

  it('lower the bound of the fleet by what they hold at most', () => {
    const running = provision(clusterWith([]), ...pods(40)).after;
    const boundWith = (...commitments: Commitment[]) =>
      computeFleetBound({ ...running, settings: { ...DEFAULT_SETTINGS, commitments } });

    const without = boundWith();
    const some = boundWith(instances('a1.2xlarge', 3));
    expect(some).toBeLessThan(without);
    expect(some).toBeGreaterThan(without / 2);
    expect(boundWith(units('a1', 48))).toBeLessThanOrEqual(some + 1e-9);
    expect(boundWith(instances('a1.2xlarge', 100))).toBe(0);
  });

  const anyCommitments = fc.tuple(
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 0, max: 100 }),
  );

  it('are never used beyond their amount, in any sequence of plans', () => {
    const waves = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyCommitments, waves, ([count, unitCount, cents], sizes) => {
        const commitments = [instances('b1.large', count), units('a1', unitCount), plan(cents / 100)];
        let cluster = clusterWith(commitments);
        for (const [wave, size] of sizes.entries()) {
          const done = provision(cluster, ...pods(size, 1.5, `wave-${wave}`));
          cluster = done.after;
          const coverage = computeCoverage(cluster);
          const planned = done.plan.claims.filter(({ choice }) => choice?.commitment !== undefined);
          // A node that the plan counted as covered is covered when it runs.
          for (const { claim } of planned) expect(coverage?.coveredBy.has(claim.name)).toBe(true);
          for (const free of coverage?.free.values() ?? []) expect(free).toBeGreaterThanOrEqual(-1e-9);
        }
      }),
      { numRuns: 15 },
    );
  });
});
