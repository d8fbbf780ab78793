import { describe, expect, it } from 'vitest';
import { FILL_LAST_ANNOTATION } from '../../../shared/model/labels.ts';
import { aSelector } from '../../support/builders.ts';
import { replayOffline } from '../../vectors/replay/replay-offline.ts';
import {
  aCluster,
  aPool,
  createPods,
  fakeType,
  need,
  prefers,
  requesting,
  requiringNode,
  spreadOver,
  TYPE,
  ZONE,
} from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const types = [4, 8, 16, 32].map((cpus) =>
  fakeType(`even-${cpus}`, { cpus: cpus + 0.1, gib: cpus * 4 + 0.1, pods: 110 }),
);

/** Small pods, and large ones whose room they take if they are bound first. */
const listPods = () => [
  ...createPods(500, 'small', { requests: requesting(0.25, 0.5) }),
  ...createPods(40, 'large', { requests: requesting(3, 14) }),
];

describe('topUpPlan', () => {
  it('adds room until the pods of a large batch bind in every order', () => {
    const cluster = aCluster({ types });
    const pods = listPods();

    const { plan } = provision(cluster, ...pods);

    const { placed, unbound } = replayOffline('mixed', { ...cluster, pods }, plan);
    expect(placed).toBe(540);
    expect(unbound).toEqual({ planned: [], reversed: [], shuffled: [] });
  });

  it('does the same for over a hundred nodes and pods that are spread over zones', () => {
    const app = { app: 'spread' };
    const spread = { topologySpread: [spreadOver(ZONE, { selector: aSelector(app) })] };
    const cluster = aCluster({ types: types.slice(0, 1) });
    const pods = [
      ...createPods(700, 'spread', { requests: requesting(0.25, 0.5), ...spread }, app),
      ...createPods(120, 'large', { requests: requesting(3, 14) }),
    ];

    const { plan } = provision(cluster, ...pods);

    const { placed, unbound } = replayOffline('spread', { ...cluster, pods }, plan);
    expect(placed).toBe(820);
    expect(Object.values(unbound).flat().length).toBeLessThan(3);
  });

  it('lets the nodes of pods that may run nowhere else fill last, although other pods prefer nodes as well', () => {
    const cluster = aCluster({ types });
    const pods = [
      ...createPods(600, 'anywhere', { requests: requesting(0.5, 1) }),
      ...createPods(12, 'choosy', { requests: requesting(0.25, 0.5), ...prefers([1, need(TYPE, 'In', 'even-4')]) }),
      ...createPods(60, 'confined', { requests: requesting(1.5, 6), ...requiringNode(need(TYPE, 'In', 'even-8')) }),
    ];

    const { plan } = provision(cluster, ...pods);

    const last = plan.claims.filter(({ claim }) => claim.annotations[FILL_LAST_ANNOTATION] === 'true');
    expect(last.length).toBeGreaterThan(0);
    const { placed, unbound } = replayOffline('confined', { ...cluster, pods }, plan);
    expect(placed).toBe(672);
    expect(unbound).toEqual({ planned: [], reversed: [], shuffled: [] });
  });

  it('lets the nodes of a zone fill last for pods that must be spread over zones, and adds little room', () => {
    const app = { app: 'spread' };
    const spread = { topologySpread: [spreadOver(ZONE, { selector: aSelector(app) })] };
    const cluster = aCluster({ types });
    const pods = [
      ...createPods(90, 'spread', { requests: requesting(0.5, 1), ...spread }, app),
      ...createPods(40, 'large', { requests: requesting(15, 30) }),
      ...createPods(300, 'small', { requests: requesting(0.25, 3) }),
    ];

    const { plan } = provision(cluster, ...pods);

    const { placed, unbound } = replayOffline('zones', { ...cluster, pods }, plan);
    expect(placed).toBe(430);
    expect(unbound).toEqual({ planned: [], reversed: [], shuffled: [] });
    // Without such nodes the plan costs a seventh more.
    expect(plan.hourlyUsd).toBeLessThan(500);
  });

  it('promises only pods that bind if limits leave pods out', () => {
    const cluster = aCluster({ types, pools: [aPool({ limits: { cpu: 150_000 } })] });
    const pods = listPods();

    const { plan } = provision(cluster, ...pods);

    const { placed, unbound } = replayOffline('limits', { ...cluster, pods }, plan);
    expect(placed).toBeGreaterThan(300);
    expect(plan.unplaced.length).toBeGreaterThan(0);
    expect(unbound).toEqual({ planned: [], reversed: [], shuffled: [] });
  });

  it('gives equal plans for equal batches', () => {
    const plan = () => provision(aCluster({ types }), ...listPods()).plan;

    expect(plan()).toEqual(plan());
  });
});
