import { describe, expect, it } from 'vitest';
import {
  ARCH,
  aCluster,
  aPool,
  aPoolRequiring,
  CAPACITY,
  createPods,
  DEFAULT_TYPES,
  need,
  offering,
  requesting,
  spreadOver,
  TYPE,
  tiny,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerDomain, findZoneOfPod, provision } from '../support/provision.ts';

const eitherOf = (...terms: ReturnType<typeof need>[][]) => ({ requiredNodeTerms: terms });

describe('several required node terms', () => {
  it('prefer the term that leads to the heavier NodePool', () => {
    const cluster = aCluster({
      pools: [
        { ...aPoolRequiring(need(ARCH, 'In', 'amd64')), name: 'light' },
        { ...aPoolRequiring(need(ARCH, 'In', 'arm64')), name: 'heavy', weight: 30 },
      ],
    });
    const spec = eitherOf([need(ARCH, 'In', 'amd64')], [need(ARCH, 'In', 'arm64')]);

    const { plan } = provision(cluster, tiny('a', spec));

    expect(plan.claims.map(({ claim }) => claim.pool)).toEqual(['heavy']);
  });

  it('prefer the term with the cheaper nodes among equal NodePools', () => {
    const priced = DEFAULT_TYPES.flatMap((type) => [
      offering(type, 'on-demand', Z1, 2),
      offering(type, 'on-demand', Z2, 1),
    ]);
    const spec = eitherOf([need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]);

    expect(findZoneOfPod(provision(aCluster({ priced }), tiny('a', spec)), 'a')).toBe(Z2);
  });

  it('use existing capacity of any term before a new node', () => {
    const first = provision(
      aCluster(),
      tiny('first', { nodeSelector: { [ZONE]: Z2 }, requests: requesting(0.1) }),
    ).after;
    const spec = eitherOf([need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]);

    expect(provision(first, tiny('a', spec)).launched).toEqual([]);
  });

  it('place pods by another term if limits leave no capacity for the first', () => {
    const cluster = aCluster({
      pools: [
        { ...aPoolRequiring(need(ZONE, 'In', Z2)), name: 'light' },
        {
          ...aPoolRequiring(need(ZONE, 'In', Z1)),
          name: 'heavy',
          weight: 30,
          limits: { nodes: 1 },
        },
      ],
    });
    const spec = eitherOf([need(ZONE, 'In', Z2)], [need(ZONE, 'In', Z1)]);
    const outcome = provision(cluster, ...createPods(6, 'a', { ...spec, requests: requesting(7) }));

    expect(outcome.pending).toEqual([]);
    expect(new Set(outcome.plan.claims.map(({ claim }) => claim.pool)).size).toBe(2);
  });
});

describe('spreads with several required node terms', () => {
  const zonal = { topologySpread: [spreadOver(ZONE)] };

  it('use the domains of all terms together', () => {
    const spec = eitherOf([need(ZONE, 'In', Z3)], [need(CAPACITY, 'In', 'on-demand')]);
    const outcome = provision(aCluster(), ...createPods(3, 'a', { ...zonal, ...spec }));

    expect(countPodsPerDomain(outcome)).toEqual([1, 1, 1]);
  });

  it('let pods alternate between the terms', () => {
    const spec = eitherOf([need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]);
    const outcome = provision(aCluster(), ...createPods(7, 'a', { ...zonal, ...spec }));

    expect(outcome.pending).toEqual([]);
    expect(countPodsPerDomain(outcome)).toEqual([3, 4]);
  });

  it('do not count nodes that no term allows', () => {
    const cluster = provision(aCluster(), ...createPods(4, 'first', { nodeSelector: { [ZONE]: Z3 } })).after;
    const spec = eitherOf([need(ZONE, 'In', Z1), need(TYPE, 'In', 'small')], [need(ZONE, 'In', Z2)]);
    const outcome = provision(cluster, ...createPods(4, 'a', { ...zonal, ...spec }));

    expect(countPodsPerDomain(outcome)).toEqual([2, 2, 4]);
  });

  it('place only the pods of one term in a NodePool with one zone', () => {
    const cluster = aCluster({ pools: [aPool({ requirements: [need(ZONE, 'In', Z1, Z2)] })] });
    const spec = eitherOf([need(ZONE, 'In', Z3)], [need(ZONE, 'In', Z1, Z2)]);
    const outcome = provision(cluster, ...createPods(4, 'a', { ...zonal, ...spec }));

    // No node can be in the third zone, so it is not a domain.
    expect(countPodsPerDomain(outcome)).toEqual([2, 2]);
  });
});
