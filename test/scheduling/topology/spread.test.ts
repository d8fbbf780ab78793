import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { NODES } from '../../../shared/model/resources.ts';
import { aSelector } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  aPool,
  aPoolInZones,
  aPoolRequiring,
  createPods,
  FILLING_A_NODE,
  HOSTNAME,
  need,
  requesting,
  spreadOver,
  TYPE,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
  ZONE_SPREAD,
} from '../support/fixture.ts';
import { countPodsPerDomain, countPodsPerNode, provision } from '../support/provision.ts';

const byHost = { topologySpread: [spreadOver(HOSTNAME)] };

describe('a spread that selects no pod', () => {
  it.each([
    ['a selector that matches no pod', aSelector({ app: 'other' })],
    ['no selector', undefined],
  ])('leaves pods where they are cheapest: %s', (_, selector) => {
    const { selector: __, ...rest } = spreadOver(ZONE);
    const spec = { topologySpread: [selector ? { ...rest, selector } : rest] };

    expect(countPodsPerDomain(provision(aCluster(), ...createPods(2, 'a', spec)))).toEqual([2]);
  });
});

describe('spreads over zones', () => {
  const four = createPods(4, 'a', { ...ZONE_SPREAD });
  it.each<[string, ClusterSnapshot, number[]]>([
    ['all zones', aCluster(), [1, 1, 2]],
    ['the two zones that the pool requires', aCluster({ pools: [aPoolInZones(Z1, Z2)] }), [2, 2]],
    ['the three zones that the pool requires', aCluster({ pools: [aPoolInZones(Z1, Z2, Z3)] }), [1, 1, 2]],
    ["the zone of the pool's label", aCluster({ pools: [aPool({ labels: { [ZONE]: Z1 } })] }), [4]],
    [
      'the zone of the label if it narrows the requirement',
      aCluster({ pools: [{ ...aPoolInZones(Z1, Z2), labels: { [ZONE]: Z1 } }] }),
      [4],
    ],
    [
      'the zones of both pools',
      aCluster({
        pools: [aPool({ name: 'a', labels: { [ZONE]: Z1 } }), aPool({ name: 'b', labels: { [ZONE]: Z2 } })],
      }),
      [2, 2],
    ],
  ])('use %s', (_, cluster, counts) => {
    expect(countPodsPerDomain(provision(cluster, ...four))).toEqual(counts);
  });

  it('accept match expressions as well as labels', () => {
    const selector = {
      matchLabels: {},
      matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['web'] }],
    };
    const spec = { topologySpread: [spreadOver(ZONE, { selector })] };

    expect(countPodsPerDomain(provision(aCluster(), ...createPods(4, 'a', spec)))).toEqual([1, 1, 2]);
  });

  it('count the pods in a zone that the NodePool no longer allows', () => {
    const before = provision(
      aCluster({ pools: [aPoolInZones(Z3)] }),
      tiny('first', { ...ZONE_SPREAD, ...FILLING_A_NODE }),
    );
    const cluster = withPools(before.after, aPoolInZones(Z1, Z2));
    const outcome = provision(cluster, ...createPods(6, 'a', { ...ZONE_SPREAD, ...FILLING_A_NODE }));

    expect(countPodsPerDomain(outcome)).toEqual([1, 2, 2]);
    expect(outcome.pending).toHaveLength(2);
  });

  it('let a zone be ahead by at most maxSkew', () => {
    const spec = { topologySpread: [spreadOver(ZONE, { maxSkew: 5 })], ...FILLING_A_NODE };
    const inZ1 = provision(aCluster({ pools: [aPoolInZones(Z1)] }), tiny('one', spec)).after;
    const inZ2 = provision(withPools(inZ1, aPoolInZones(Z2)), tiny('two', spec)).after;
    const outcome = provision(withPools(inZ2, aPoolInZones(Z3)), ...createPods(10, 'a', spec));

    expect(countPodsPerDomain(outcome)).toEqual([1, 1, 6]);
  });

  it('refill zones that became empty', () => {
    const before = provision(aCluster(), ...createPods(9, 'old', { ...ZONE_SPREAD, ...FILLING_A_NODE })).after;
    const inZ1 = before.nodes.filter(({ labels }) => labels[ZONE] === Z1).map(({ name }) => name);
    const cluster = {
      ...before,
      pods: before.pods.filter((pod) => inZ1.includes(pod.nodeName ?? '')),
    };

    expect(cluster.pods).toHaveLength(3);
    expect(
      countPodsPerDomain(provision(cluster, ...createPods(3, 'a', { ...ZONE_SPREAD, ...FILLING_A_NODE }))),
    ).toEqual([1, 2, 3]);
  });

  it.each([
    ['that spreads too', ZONE_SPREAD],
    ['that does not spread', {}],
  ])('count a zone that no pool allows any more if it has a pod %s', (_, spec) => {
    const before = provision(
      aCluster({ pools: [aPoolInZones(Z1)] }),
      tiny('first', { ...spec, ...FILLING_A_NODE }),
    ).after;
    const outcome = provision(
      withPools(before, aPoolInZones(Z2, Z3)),
      ...createPods(10, 'a', { ...ZONE_SPREAD, ...FILLING_A_NODE }),
    );

    expect(countPodsPerDomain(outcome)).toEqual([1, 2, 2]);
  });
});

describe('spreads over hosts', () => {
  it('let pods that are not selected share a host', () => {
    const spec = { topologySpread: [spreadOver(HOSTNAME, { selector: aSelector({ app: 'x' }) })] };

    expect(countPodsPerNode(provision(aCluster(), ...createPods(5, 'a', spec)))).toEqual([5]);
  });

  it.each([
    [1, [1, 1, 1, 1]],
    [4, [4]],
  ])('respect maxSkew %i', (maxSkew, counts) => {
    const spec = { topologySpread: [spreadOver(HOSTNAME, { maxSkew })] };

    expect(countPodsPerNode(provision(aCluster(), ...createPods(4, 'a', spec)))).toEqual(counts);
  });

  const app = (name: string, spec = {}) =>
    createPods(
      2,
      name,
      { topologySpread: [spreadOver(HOSTNAME, { selector: aSelector({ app: name }) })], ...spec },
      { app: name },
    );
  const hosts = (...pods: ReturnType<typeof app>) => provision(aCluster(), ...pods).launched.length;

  it('let two apps share hosts', () => {
    expect(hosts(...app('one'), ...app('two'))).toBe(2);
  });

  it('separate two apps that may not share hosts', () => {
    const one = app('one', { nodeSelector: { [ARCH]: 'amd64' } });
    const two = app('two', { nodeSelector: { [ARCH]: 'arm64' } });

    expect(hosts(...one, ...two)).toBe(4);
  });

  it('keep revisions apart with matchLabelKeys', () => {
    const spread = spreadOver(HOSTNAME, { matchLabelKeys: ['revision'] });
    const revision = (name: string) =>
      createPods(2, name, { topologySpread: [spread] }, { app: 'web', revision: name });
    const outcome = provision(aCluster(), ...revision('a'), ...revision('b'));

    expect(countPodsPerNode(outcome)).toEqual([2, 2]);
  });

  it('ignore matchLabelKeys that pods do not have', () => {
    const spread = spreadOver(HOSTNAME, { matchLabelKeys: ['revision'] });

    expect(countPodsPerNode(provision(aCluster(), ...createPods(4, 'a', { topologySpread: [spread] })))).toEqual([
      1, 1, 1, 1,
    ]);
  });
});

describe('minDomains', () => {
  const spec = (minDomains: number) => ({ topologySpread: [spreadOver(ZONE, { minDomains })] });

  it('treats fewer domains as if one were empty', () => {
    const cluster = aCluster({ pools: [aPoolInZones(Z1, Z2)] });
    const outcome = provision(cluster, ...createPods(3, 'a', spec(3)));

    expect(countPodsPerDomain(outcome)).toEqual([1, 1]);
    expect(outcome.pending).toHaveLength(1);
  });

  it.each([3, 2])('is met by %i of three domains', (minDomains) => {
    const outcome = provision(aCluster(), ...createPods(11, 'a', spec(minDomains)));

    expect(countPodsPerDomain(outcome)).toEqual([3, 4, 4]);
  });
});

describe('limits that cut a spread short', () => {
  it('still let pods use existing nodes in every zone', () => {
    const before = provision(aCluster(), ...createPods(3, 'old', { ...ZONE_SPREAD, requests: requesting(0.5) }));
    const cluster = withPools(before.after, aPool({ limits: { [NODES]: 3 } }));
    const outcome = provision(cluster, ...createPods(3, 'a', { ...ZONE_SPREAD, requests: requesting(0.5) }));

    expect(countPodsPerDomain(outcome)).toEqual([2, 2, 2]);
  });

  it.each<[string, Readonly<Record<string, number>>, number[]]>([
    ['3 nodes', { [NODES]: 3 }, [1, 1, 1]],
    ['4 nodes', { [NODES]: 4 }, [1, 1, 2]],
    ['5 nodes', { [NODES]: 5 }, [1, 2, 2]],
    ['8 cpu', { cpu: 8000 }, [1, 1, 2]],
  ])('still spread the pods evenly with a limit of %s', (_, limits, counts) => {
    const small = { ...aPoolRequiring(need(TYPE, 'In', 'small')), limits };
    const pods = createPods(9, 'a', { ...ZONE_SPREAD, requests: requesting(1.1) });

    expect(countPodsPerDomain(provision(aCluster({ pools: [small] }), ...pods))).toEqual(counts);
  });
});

describe('one host per pod', () => {
  it('launches 30 nodes for 30 pods', () => {
    expect(countPodsPerNode(provision(aCluster(), ...createPods(30, 'a', byHost)))).toHaveLength(30);
  });
});
