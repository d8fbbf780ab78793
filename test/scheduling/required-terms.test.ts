import { describe, expect, it } from 'vitest';
import {
  ARCH,
  aCluster,
  aPool,
  asking,
  CAPACITY,
  DEFAULT_TYPES,
  need,
  offering,
  poolOf,
  several,
  spreadOver,
  TYPE,
  tiny,
  Z1,
  Z2,
  Z3,
  ZONE,
} from './fixture.ts';
import { provision, skew, zoneOf } from './provision.ts';

const eitherOf = (...terms: ReturnType<typeof need>[][]) => ({ requiredNodeTerms: terms });

describe('of several required terms any will do', () => {
  it('the one that leads to the heavier pool comes first', () => {
    const cluster = aCluster({
      pools: [
        { ...poolOf(need(ARCH, 'In', 'amd64')), name: 'light' },
        { ...poolOf(need(ARCH, 'In', 'arm64')), name: 'heavy', weight: 30 },
      ],
    });
    const spec = eitherOf([need(ARCH, 'In', 'amd64')], [need(ARCH, 'In', 'arm64')]);

    const { plan } = provision(cluster, tiny('a', spec));

    expect(plan.claims.map(({ claim }) => claim.pool)).toEqual(['heavy']);
  });

  it('among equals the one with the cheaper nodes comes first', () => {
    const priced = DEFAULT_TYPES.flatMap((type) => [
      offering(type, 'on-demand', Z1, 2),
      offering(type, 'on-demand', Z2, 1),
    ]);
    const spec = eitherOf([need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]);

    expect(zoneOf(provision(aCluster({ priced }), tiny('a', spec)), 'a')).toBe(Z2);
  });

  it('room that is there in the way of another term comes before a new node', () => {
    const first = provision(
      aCluster(),
      tiny('first', { nodeSelector: { [ZONE]: Z2 }, requests: asking(0.1) }),
    ).after;
    const spec = eitherOf([need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]);

    expect(provision(first, tiny('a', spec)).launched).toEqual([]);
  });

  it('what limits leave no room for takes the way of another term', () => {
    const cluster = aCluster({
      pools: [
        { ...poolOf(need(ZONE, 'In', Z2)), name: 'light' },
        { ...poolOf(need(ZONE, 'In', Z1)), name: 'heavy', weight: 30, limits: { nodes: 1 } },
      ],
    });
    const spec = eitherOf([need(ZONE, 'In', Z2)], [need(ZONE, 'In', Z1)]);
    const outcome = provision(cluster, ...several(6, 'a', { ...spec, requests: asking(7) }));

    expect(outcome.pending).toEqual([]);
    expect(new Set(outcome.plan.claims.map(({ claim }) => claim.pool)).size).toBe(2);
  });
});

describe('spreads over nodes that any of the terms allows', () => {
  const zonal = { topologySpread: [spreadOver(ZONE)] };

  it('domains are those of all terms together', () => {
    const spec = eitherOf([need(ZONE, 'In', Z3)], [need(CAPACITY, 'In', 'on-demand')]);
    const outcome = provision(aCluster(), ...several(3, 'a', { ...zonal, ...spec }));

    expect(skew(outcome)).toEqual([1, 1, 1]);
  });

  it('pods take turns in the ways that the terms open', () => {
    const spec = eitherOf([need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]);
    const outcome = provision(aCluster(), ...several(7, 'a', { ...zonal, ...spec }));

    expect(outcome.pending).toEqual([]);
    expect(skew(outcome)).toEqual([3, 4]);
  });

  it('nodes that no term allows do not count', () => {
    const cluster = provision(
      aCluster(),
      ...several(4, 'first', { nodeSelector: { [ZONE]: Z3 } }),
    ).after;
    const spec = eitherOf(
      [need(ZONE, 'In', Z1), need(TYPE, 'In', 'small')],
      [need(ZONE, 'In', Z2)],
    );
    const outcome = provision(cluster, ...several(4, 'a', { ...zonal, ...spec }));

    expect(skew(outcome)).toEqual([2, 2, 4]);
  });

  it('a pool of one zone serves one term only', () => {
    const cluster = aCluster({ pools: [aPool({ requirements: [need(ZONE, 'In', Z1, Z2)] })] });
    const spec = eitherOf([need(ZONE, 'In', Z3)], [need(ZONE, 'In', Z1, Z2)]);
    const outcome = provision(cluster, ...several(4, 'a', { ...zonal, ...spec }));

    // No node can be in the third zone, so it is no domain.
    expect(skew(outcome)).toEqual([2, 2]);
  });
});
