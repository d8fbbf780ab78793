import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { isProvisionable } from '../../../shared/model/pods/disruption-pods.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import { createPlan } from '../../../shared/scheduling/create-plan.ts';
import { listPodsToPlace } from '../../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { computePlanBound } from '../../../shared/scheduling/packing/bounds/plan-bound.ts';
import { divideAmongNodes } from '../../../shared/scheduling/packing/constructions/equal-pods.ts';
import { type Solution, solve } from '../../../shared/scheduling/search/solve.ts';
import { solveOneClass } from '../../../shared/scheduling/search/solve-one-class.ts';
import { aPod } from '../../support/builders.ts';
import { checkPlan } from '../../vectors/check-plan.ts';
import { anyCluster } from '../support/any-cluster.ts';
import { anyClusterWithFeatures } from '../support/any-features.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  CAPACITY,
  type ClusterOptions,
  createOfferings,
  createPods,
  fakeType,
  need,
  offering,
  prefers,
  requesting,
  spreadOver,
  Z1,
  ZONE,
} from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const TYPES = [
  fakeType('for-1', { cpus: 1.1, gib: 4, pods: 10 }),
  fakeType('for-3', { cpus: 3.1, gib: 12, pods: 10 }),
  fakeType('for-7', { cpus: 7.1, gib: 28, pods: 10 }),
];
const [forOne, forThree, forSeven] = TYPES;
if (!forOne || !forThree || !forSeven) throw new Error('there are three types');
const PRICED = [...createOfferings(forOne, 0.1), ...createOfferings(forThree, 0.24), ...createOfferings(forSeven, 0.5)];

const aClusterWith = (pods: number, spec: Partial<PodSpec> = {}, over: ClusterOptions = {}): ClusterSnapshot =>
  aCluster({
    types: TYPES,
    priced: PRICED,
    pods: createPods(pods, 'web', { requests: requesting(1, 1), ...spec }),
    ...over,
  });

/** Solves the waiting pods of a snapshot directly and by the search. */
function solveBothWays(snapshot: ClusterSnapshot) {
  const problem = prepare(snapshot);
  const batch = listPodsToPlace(problem);
  const toPlan = (solution: Solution) => createPlan(problem, batch, solution, 'decision-1');
  return {
    toPlan,
    direct: solveOneClass(problem, batch),
    searched: () => {
      const solution = solve(problem, batch, { reserved: 'strict', mustBind: true });
      return { solution, bound: computePlanBound(problem, solution, []) };
    },
  };
}

const solveDirectly = (snapshot: ClusterSnapshot) => solveBothWays(snapshot).direct;

const listPodsPerNode = (solution: Solution | undefined) =>
  solution?.newNodes.map(({ podCounts }) => [...podCounts.values()].reduce((a, b) => a + b, 0));

describe('equal pods', () => {
  it.each([
    [1, [1]],
    [3, [3]],
    [7, [7]],
    [10, [7, 3]],
    [11, [7, 3, 1]],
    [14, [7, 7]],
  ])('%i of them get the cheapest combination of nodes', (pods, expected) => {
    expect(listPodsPerNode(solveDirectly(aClusterWith(pods)))).toEqual(expected);
  });

  it('get one larger node if it costs less than the nodes that they would fill', () => {
    const priced = [...createOfferings(forThree, 0.3), ...createOfferings(forSeven, 0.5)];

    expect(listPodsPerNode(solveDirectly(aClusterWith(6, {}, { priced })))).toEqual([6]);
  });

  it('have a lower bound that equals their price', () => {
    const { costUsd = 0, leastCostUsd = 0, leastHourlyUsd = 0 } = solveDirectly(aClusterWith(10))?.bound ?? {};
    expect(costUsd).toBeCloseTo(0.8, 9);
    expect(leastCostUsd).toBeCloseTo(0.8, 9);
    expect(leastHourlyUsd).toBeCloseTo(0.74, 9);
  });

  it('use the pool of the heaviest weight, and are compared with the cheaper pool', () => {
    const heavy = aPool({
      name: 'heavy',
      weight: 10,
      requirements: [need(CAPACITY, 'In', 'on-demand')],
    });
    const light = aPool({ name: 'light', requirements: [need(CAPACITY, 'In', 'spot')] });
    const priced = [offering(forOne, 'on-demand', Z1, 0.1), offering(forOne, 'spot', Z1, 0.03)];
    const over = { pools: [heavy, light], types: TYPES, priced };
    const cluster = aCluster({ ...over, pods: createPods(1, 'web', { requests: requesting(1) }) });

    const solution = solveDirectly(cluster);

    expect(solution?.newNodes[0]?.template.pool.name).toBe('heavy');
    expect(solution?.bound.leastHourlyUsd).toBe(0.03);
  });

  it('are planned in the same way by the whole planner', () => {
    const cluster = aClusterWith(0);
    const { plan } = provision(cluster, ...createPods(10, 'web', { requests: requesting(1, 1) }));

    expect(plan.claims.map(({ pods }) => pods.length)).toEqual([7, 3]);
    expect(plan.bound?.leastCostUsd).toBeCloseTo(0.8, 9);
  });
});

const PREFER_NO_SCHEDULE: Taint = { key: 'old', value: '', effect: 'PreferNoSchedule' };

describe('the search decides about', () => {
  it.each<[string, ClusterSnapshot]>([
    ['pods with a spread', aClusterWith(2, { topologySpread: [spreadOver(ZONE)] })],
    ['pods with affinity', aClusterWith(2, { podAffinity: [affinityTo('web', ZONE)] })],
    ['pods with a preference', aClusterWith(2, prefers([1, need(ZONE, 'In', Z1)]))],
    [
      'pods with several required terms',
      aClusterWith(2, {
        requiredNodeTerms: [[need(ZONE, 'In', Z1)], [need(CAPACITY, 'In', 'spot')]],
      }),
    ],
    ['pods with host ports', aClusterWith(2, { hostPorts: [{ port: 80, protocol: 'TCP', ip: '' }] })],
    ['pods that a limit cuts', aClusterWith(10, {}, { pools: [aPool({ limits: { nodes: 1 } })] })],
    ['pools with PreferNoSchedule taints', aClusterWith(1, {}, { pools: [aPool({ taints: [PREFER_NO_SCHEDULE] })] })],
    [
      'pods of two classes',
      aClusterWith(
        0,
        {},
        {
          pods: [
            ...createPods(1, 'web', { requests: requesting(1) }),
            ...createPods(1, 'api', { requests: requesting(2) }),
          ],
        },
      ),
    ],
    ['pods that fit nowhere', aClusterWith(1, { requests: requesting(100) })],
    ['no pods', aClusterWith(0)],
  ])('%s', (_, cluster) => {
    expect(solveDirectly(cluster)).toBeUndefined();
  });

  it('pods that existing nodes take', () => {
    const [large] = createPods(1, 'large', { requests: requesting(2, 1) });
    if (!large) throw new Error('there is a pod');
    const { after } = provision(aClusterWith(0), large);
    const pods = [...after.pods, ...createPods(2, 'web', { requests: requesting(1, 1) })];

    expect(solveDirectly({ ...after, pods })).toBeUndefined();
  });
});

describe('dividing pods among nodes', () => {
  const option = solveDirectly(aClusterWith(1))?.newNodes[0]?.podCounts.keys().next().value?.options[0];
  if (!option) throw new Error('the pod has an option');
  const nodesWith = (perNodeUsd: number) => [
    undefined,
    { option, usd: 1 + perNodeUsd },
    { option, usd: 2 + perNodeUsd },
  ];

  it('prefers few nodes for the same price', () => {
    expect(divideAmongNodes(4, nodesWith(0))).toEqual({ podsPerNode: [2, 2], usd: 4 });
  });

  it('counts the cost of each node besides its instance', () => {
    expect(divideAmongNodes(3, nodesWith(0.5))).toEqual({ podsPerNode: [2, 1], usd: 4 });
  });

  it('finds nothing if no node holds a pod', () => {
    expect(divideAmongNodes(1, [])).toEqual({ podsPerNode: [], usd: Infinity });
  });
});

/** A cluster whose waiting pods are equal, except for the labels that no rule selects. */
const anyClusterWithOneClass = fc
  .tuple(
    fc.oneof(anyCluster({ withRules: false }), anyClusterWithFeatures(anyCluster({ withRules: false })), anyCluster()),
    fc.integer({ min: 1, max: 12 }),
    fc.boolean(),
  )
  .map(([cluster, count, isEmpty]): ClusterSnapshot => {
    const [first] = cluster.pods.filter(isProvisionable);
    const running = cluster.pods.filter(({ nodeName }) => nodeName !== undefined);
    const waiting = Array.from({ length: first ? count : 0 }, (_, index) =>
      aPod({ ...first, name: `web-${index}`, uid: `web-${index}` }),
    );
    return isEmpty
      ? { ...cluster, nodes: [], claims: [], pods: waiting }
      : { ...cluster, pods: [...running, ...waiting] };
  });

const TOLERANCE = 1 + 1e-9;

describe('any pods of one class', () => {
  it('cost no more than the search finds, under the same limits and with at least its lower bound', () => {
    let solvedDirectly = 0;
    fc.assert(
      fc.property(anyClusterWithOneClass, (cluster) => {
        const { direct, searched, toPlan } = solveBothWays(cluster);
        if (!direct) return;
        solvedDirectly += 1;
        const { solution, bound } = searched();
        const [plan, other] = [toPlan(direct), toPlan(solution)];

        expect(checkPlan(cluster, plan)).toEqual([]);
        expect(direct.costUsd).toBeLessThanOrEqual(solution.costUsd * TOLERANCE);
        expect(direct.bound.leastCostUsd).toBeLessThanOrEqual(direct.costUsd);
        expect(bound?.leastCostUsd).toBeLessThanOrEqual(direct.bound.leastCostUsd * TOLERANCE);
        expect(bound?.leastHourlyUsd).toBeLessThanOrEqual(direct.bound.leastHourlyUsd * TOLERANCE);
        // At the same price both ways give the same claims, with the same explanation.
        if (solution.costUsd <= direct.costUsd * TOLERANCE) expect(plan).toEqual(other);
      }),
      { numRuns: 400 },
    );
    expect(solvedDirectly).toBeGreaterThan(40);
  });
});
