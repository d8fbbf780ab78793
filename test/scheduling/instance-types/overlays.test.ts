import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { CAPACITY_OVERLAY_ANNOTATION, PRICE_OVERLAY_ANNOTATION } from '../../../shared/model/labels.ts';
import { applyPriceChange, type NodeOverlay, type PriceChange } from '../../../shared/model/offerings/node-overlay.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { evaluateOverlays } from '../../../shared/scheduling/instance-types/evaluate-overlays.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import {
  aCluster,
  aPool,
  CAPACITY,
  createOfferings,
  createPods,
  fakeType,
  need,
  requesting,
  TYPE,
  tiny,
  Z1,
  ZONE,
} from '../support/fixture.ts';
import { listLaunchedTypes, provision } from '../support/provision.ts';

const big = fakeType('big', { cpus: 4, gib: 4 });
const odd = fakeType('odd', { cpus: 4, gib: 4 });
const PRICED = [...createOfferings(big, 10), ...createOfferings(odd, 11)];

const anOverlay = (over: Partial<NodeOverlay> = {}): NodeOverlay => ({
  name: 'cheap',
  uid: 'cheap',
  generation: 1,
  weight: 0,
  requirements: [need(TYPE, 'In', 'odd')],
  capacity: {},
  ...over,
});

const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, NodeOverlay: true } };

const clusterWith = (overlays: readonly NodeOverlay[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aCluster({ types: [big, odd], priced: PRICED, overlays, settings, ...over });

const to = (usd: number): PriceChange => ({ kind: 'set', usd });

describe('overlay prices', () => {
  it.each<[string, number, PriceChange, number]>([
    ['-10 %', 10, { kind: 'scale', share: -0.1 }, 9],
    ['+100 %', 10, { kind: 'scale', share: 1 }, 20],
    ['-200 %', 10, { kind: 'scale', share: -2 }, 0],
    ['+5', 10, { kind: 'add', usd: 5 }, 15],
    ['-15', 10, { kind: 'add', usd: -15 }, 0],
    ['2.5 in its place', 10, to(2.5), 2.5],
    ['+0.75', 1.25, { kind: 'add', usd: 0.75 }, 2],
  ])('apply %s of %d', (_, usd, change, expected) => {
    expect(applyPriceChange(usd, change)).toBeCloseTo(expected, 12);
  });

  it('decide which type is cheapest, and appear in the claim', () => {
    const { plan } = provision(clusterWith([anOverlay({ price: to(1) })]), tiny('a'));
    const [claim] = plan.claims;

    expect(claim?.cheapest).toMatchObject({ instanceType: 'odd', hourlyUsd: 1 });
    expect(claim?.claim.annotations).toMatchObject({ [PRICE_OVERLAY_ANNOTATION]: 'true' });
    expect(claim?.claim.annotations[CAPACITY_OVERLAY_ANNOTATION]).toBeUndefined();
  });

  it('apply to the named zones and capacity types', () => {
    const requirements = [need(TYPE, 'In', 'odd'), need(ZONE, 'In', Z1), need(CAPACITY, 'In', 'on-demand')];
    const { plan } = provision(clusterWith([anOverlay({ requirements, price: to(1) })]), tiny('a'));

    expect(plan.claims[0]?.cheapest).toMatchObject({ zone: Z1, capacityType: 'on-demand' });
    expect(plan.claims[0]?.nextBest).toMatchObject({ instanceType: 'big', hourlyUsd: 10 });
  });

  it('may apply to one NodePool only', () => {
    const pools = ['a', 'b'].map((name) => aPool({ name }));
    const requirements = [need('karpenter.sh/nodepool', 'In', 'b'), need(TYPE, 'In', 'odd')];
    const pods = pools.map(({ name }) => tiny(name, { nodeSelector: { 'karpenter.sh/nodepool': name } }));
    const cluster = clusterWith([anOverlay({ requirements, price: to(1) })], { pools, pods });

    const { claims } = planProvisioning(cluster, 'd');
    expect(claims.map(({ claim, cheapest }) => [claim.pool, cheapest.instanceType]).toSorted()).toEqual([
      ['a', 'big'],
      ['b', 'odd'],
    ]);
  });

  it('are ignored if the feature gate is off', () => {
    const cluster = clusterWith([anOverlay({ price: to(1) })], { settings: DEFAULT_SETTINGS });
    expect(listLaunchedTypes(provision(cluster, tiny('a')))).toEqual(['big']);
  });
});

describe('several overlays', () => {
  it('of equal weight conflict, and the earlier name is not applied anywhere', () => {
    const a = anOverlay({ name: 'a', price: to(1), requirements: [] });
    const b = anOverlay({ name: 'b', price: to(2) });
    const cluster = clusterWith([a, b]);

    expect(evaluateOverlays([a, b], cluster).conflicts).toEqual(new Map([['a', 'b']]));
    // Nor for the other type, which b does not select.
    const { plan } = provision(clusterWith([b]), tiny('p'));
    expect(planProvisioning({ ...cluster, pods: [tiny('p')] }, 'd').hourlyUsd).toBe(plan.hourlyUsd);
  });

  it('of different weights are both valid, and the heavier wins', () => {
    const light = anOverlay({ name: 'z-light', weight: 1, price: to(1) });
    const heavy = anOverlay({ name: 'a-heavy', weight: 2, price: to(20) });
    const cluster = clusterWith([light, heavy]);

    expect(evaluateOverlays([light, heavy], cluster).conflicts.size).toBe(0);
    expect(listLaunchedTypes(provision(cluster, tiny('p')))).toEqual(['big']);
  });

  it('do not conflict if one sets the price and one a resource', () => {
    const price = anOverlay({ name: 'a', price: to(1) });
    const more = anOverlay({ name: 'b', capacity: { 'example.com/dongle': 1 } });
    expect(evaluateOverlays([price, more], clusterWith([])).conflicts.size).toBe(0);
  });

  it('are ignored if they are invalid', () => {
    const cluster = clusterWith([anOverlay({ price: to(1), fault: 'label is restricted' })]);
    expect(listLaunchedTypes(provision(cluster, tiny('a')))).toEqual(['big']);
  });
});

describe('overlay resources', () => {
  const dongles = anOverlay({ capacity: { 'example.com/dongle': 3 } });
  const wants = (count: number) => ({
    requests: requesting(0, 0, { 'example.com/dongle': count }),
  });

  it('allow pods that request them, and appear in the claim', () => {
    const outcome = provision(clusterWith([dongles]), ...createPods(3, 'p', wants(1)));
    const [claim] = outcome.plan.claims;

    expect(claim?.claim.instanceTypes).toEqual(['odd']);
    expect(claim?.claim.annotations).toMatchObject({ [CAPACITY_OVERLAY_ANNOTATION]: 'true' });
    expect(outcome.plan.claims).toHaveLength(1);
    expect(provision(clusterWith([dongles]), tiny('q', wants(4))).pending).toEqual(['q']);
  });

  it('count on a claim whose node does not report them yet, so that nothing is launched twice', () => {
    const cluster = clusterWith([dongles]);
    const first = provision(cluster, tiny('p', wants(2)));
    const claims = first.after.claims.map(({ initializedAt: _, ...claim }) => {
      const { launch } = claim;
      const { [DONGLE]: __, ...allocatable } = launch?.allocatable ?? {};
      return { ...claim, ...(launch ? { launch: { ...launch, allocatable } } : {}) };
    });
    const waiting = { ...cluster, claims, pods: [tiny('q', wants(1))] };

    const plan = planProvisioning(waiting, 'd');
    expect(plan.claims).toEqual([]);
    expect(plan.placements.map(({ target }) => target)).toEqual(claims.map(({ name }) => name));
  });
});

const DONGLE = 'example.com/dongle';

it('are evaluated with the plan, so that no NodePool waits for them', () => {
  const overlays = [anOverlay({ price: to(1) })];
  const cluster = { ...clusterWith(overlays), pods: [tiny('a')] };

  expect(planProvisioning(cluster, 'd').hourlyUsd).toBe(1);
  // The prices changed, the overlays did not.
  const moreExpensive = [...createOfferings(big, 0.5), ...createOfferings(odd, 11)];
  expect(planProvisioning({ ...cluster, offerings: moreExpensive }, 'd').hourlyUsd).toBe(0.5);
});
