import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { aSelector } from '../../support/builders.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  aPoolRequiring,
  CAPACITY,
  createPods,
  HOSTNAME,
  need,
  prefers,
  requesting,
  requiringNode,
  spreadOver,
  TYPE,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerDomain, countPodsPerNode, findNodeOfPod, findZoneOfPod, provision } from '../support/provision.ts';

const NOWHERE = need(ZONE, 'In', 'invalid');

describe('required node terms', () => {
  it('keep the last term', () => {
    const cluster = aCluster({
      pools: [aPoolRequiring(need(ZONE, 'In', Z1), need(TYPE, 'In', 'default'))],
    });

    expect(provision(cluster, tiny('a', requiringNode(NOWHERE))).pending).toEqual(['a']);
  });

  it('use the first term that can be met', () => {
    const spec = {
      requiredNodeTerms: [[NOWHERE], [NOWHERE], [need(ZONE, 'In', Z1)], [need(ZONE, 'In', Z2)]],
    };

    expect(findZoneOfPod(provision(aCluster(), tiny('a', spec)), 'a')).toBe(Z1);
  });
});

describe('preferences', () => {
  it.each<[string, Partial<PodSpec>]>([
    ['two preferences that nothing meets', prefers([1, NOWHERE], [1, need(TYPE, 'In', 'x')])],
    ['a preference that contradicts itself', prefers([1, NOWHERE, need(ZONE, 'NotIn', 'invalid')])],
    [
      'a preferred neighbour where the pod may not be',
      {
        nodeSelector: { [ZONE]: Z3 },
        preferredPodAffinity: [{ weight: 1, term: affinityTo('elsewhere', ZONE) }],
      },
    ],
    [
      'a preferred neighbour that does not exist',
      { preferredPodAffinity: [{ weight: 1, term: affinityTo('nobody', HOSTNAME) }] },
    ],
    [
      'an avoided neighbour that is everywhere',
      { preferredPodAntiAffinity: [{ weight: 1, term: affinityTo('web', 'kubernetes.io/os') }] },
    ],
  ])('do not keep a pod pending: %s', (_, spec) => {
    expect(provision(aCluster(), tiny('a', spec)).pending).toEqual([]);
  });

  it('use the heaviest preference that can be met', () => {
    const cluster = aCluster({ pools: [aPoolRequiring(need(ZONE, 'In', Z1, Z2))] });
    const spec = prefers([1, need(ZONE, 'In', Z1)], [100, need(TYPE, 'In', 'none')], [50, need(ZONE, 'In', Z2)]);

    expect(findZoneOfPod(provision(cluster, tiny('a', spec)), 'a')).toBe(Z2);
  });

  it('are dropped if they exclude the only allowed zone', () => {
    const spec = {
      ...requiringNode(need(ZONE, 'In', Z3)),
      ...prefers([1, need(ZONE, 'NotIn', Z3)]),
    };

    expect(findZoneOfPod(provision(aCluster(), tiny('a', spec)), 'a')).toBe(Z3);
  });

  it.each([ZONE, HOSTNAME])('do not cost a node once they are dropped: %s', (key) => {
    const outcome = provision(
      aCluster(),
      tiny('a', { requests: requesting(2) }),
      tiny('b', { requests: requesting(1), ...prefers([1, need(key, 'In', 'invalid')]) }),
    );

    expect(countPodsPerNode(outcome)).toEqual([2]);
  });

  it('keep a preferred zone for as many replicas as possible', () => {
    const outcome = provision(aCluster(), ...createPods(5, 'a', prefers([1, need(ZONE, 'In', Z3)])));

    expect(findZoneOfPod(outcome, 'a-1')).toBe(Z3);
    expect(outcome.pending).toEqual([]);
  });
});

describe('preferred pod affinity and anti-affinity', () => {
  const apart = (key: string): Partial<PodSpec> => ({
    preferredPodAntiAffinity: [{ weight: 1, term: affinityTo('web', key) }],
  });

  it('give each pod that prefers to be alone its own node', () => {
    expect(countPodsPerNode(provision(aCluster(), ...createPods(4, 'a', apart(HOSTNAME))))).toEqual([1, 1, 1, 1]);
  });

  it('let pods share a node if limits allow no other', () => {
    const cluster = aCluster({ pools: [aPool({ limits: { nodes: 2 } })] });
    const outcome = provision(cluster, ...createPods(5, 'a', apart(HOSTNAME)));

    expect(outcome.pending).toEqual([]);
    expect(outcome.launched).toHaveLength(2);
  });

  it('keep no other pods away', () => {
    const outcome = provision(
      aCluster(),
      tiny('alone', { ...apart(HOSTNAME), requests: requesting(1) }, { app: 'alone' }),
      tiny('other', { requests: requesting(0.1) }),
    );

    expect(outcome.pending).toEqual([]);
  });

  it('put the zone of an avoided pod last', () => {
    const before = provision(aCluster(), tiny('b', { nodeSelector: { [ZONE]: Z1 } })).after;

    expect(findZoneOfPod(provision(before, tiny('a', apart(ZONE))), 'a')).not.toBe(Z1);
  });

  it('join the preferred pod', () => {
    const before = provision(aCluster(), tiny('b', { nodeSelector: { [ZONE]: Z2 } })).after;
    const spec = {
      preferredPodAffinity: [{ weight: 1, term: affinityTo('web', ZONE) }],
      requests: requesting(3),
    };

    expect(findZoneOfPod(provision(before, tiny('a', spec)), 'a')).toBe(Z2);
  });

  it('apply again with the next plan', () => {
    const target = tiny('target', { nodeSelector: { [ZONE]: Z3 } }, { app: 'target' });
    const spec = {
      podAffinity: [affinityTo('target', HOSTNAME)],
      ...prefers([1, need(TYPE, 'In', 'small')]),
    };
    const outcome = provision(aCluster(), tiny('a', spec), target);

    expect(findNodeOfPod(outcome, 'a')).toBe(findNodeOfPod(outcome, 'target'));
    expect(findNodeOfPod(outcome, 'a')?.labels[TYPE]).toBe('small');
  });
});

describe('ignored preferences', () => {
  const settings = { ...DEFAULT_SETTINGS, preferencePolicy: 'Ignore' } as const;
  const soft = (key: string) => spreadOver(key, { whenUnsatisfiable: 'ScheduleAnyway' });

  it.each<[string, Partial<PodSpec>]>([
    ['anti-affinity by zone', { preferredPodAntiAffinity: [{ weight: 1, term: affinityTo('web', ZONE) }] }],
    ['anti-affinity by host', { preferredPodAntiAffinity: [{ weight: 1, term: affinityTo('web', HOSTNAME) }] }],
    ['a spread over zones', { topologySpread: [soft(ZONE)] }],
    ['a spread over hosts', { topologySpread: [soft(HOSTNAME)] }],
  ])('let five pods with %s share a node', (_, spec) => {
    expect(countPodsPerNode(provision(aCluster({ settings }), ...createPods(5, 'a', spec)))).toEqual([5]);
  });

  it.each<[string, Partial<PodSpec>]>([
    ['a zone', prefers([100, need(ZONE, 'In', Z2)])],
    ['neighbours by zone', { preferredPodAffinity: [{ weight: 100, term: affinityTo('far', ZONE) }] }],
    ['neighbours by host', { preferredPodAffinity: [{ weight: 100, term: affinityTo('far', HOSTNAME) }] }],
  ])('give a preference for %s no influence', (_, spec) => {
    const others = [
      tiny('near', { requests: requesting(2), nodeSelector: { [ZONE]: Z1 } }),
      ...createPods(2, 'far', { requests: requesting(3), nodeSelector: { [ZONE]: Z2 } }, { app: 'far' }),
    ];
    const plain = provision(aCluster({ settings }), ...others, tiny('a', { requests: requesting(1) }));
    const wishful = provision(aCluster({ settings }), ...others, tiny('a', { requests: requesting(1), ...spec }));

    expect(findZoneOfPod(wishful, 'a')).toBe(findZoneOfPod(plain, 'a'));
    expect(wishful.plan.hourlyUsd).toBe(plain.plan.hourlyUsd);
  });

  it('still avoid a PreferNoSchedule taint if possible', () => {
    const taints: Taint[] = [{ key: 'old', effect: 'PreferNoSchedule' }];
    const pools = [aPool({ name: 'a', weight: 50, taints }), aPool({ name: 'b' })];
    const outcome = provision(aCluster({ pools, settings }), tiny('a'));

    expect(outcome.plan.claims[0]?.claim.pool).toBe('b');
  });
});

describe('PreferNoSchedule', () => {
  const avoided: Taint = { key: 'old', effect: 'PreferNoSchedule' };

  it('is tolerated only after all preferences are given up', () => {
    const cluster = aCluster({ pools: [aPool({ taints: [avoided] })] });
    const outcome = provision(cluster, tiny('a', prefers([1, NOWHERE], [1, NOWHERE])));

    expect(findNodeOfPod(outcome, 'a')?.taints).toEqual([avoided]);
  });

  it('makes a NodePool without the taint win, though it comes later', () => {
    const cluster = aCluster({
      pools: [aPool({ name: 'a', weight: 50, taints: [avoided] }), aPool({ name: 'b' })],
    });

    expect(provision(cluster, tiny('a')).plan.claims[0]?.claim.pool).toBe('b');
  });

  it('excludes a node while there is another place', () => {
    const tainted = provision(aCluster(), tiny('first')).after;
    const cluster = {
      ...tainted,
      nodes: tainted.nodes.map((node) => ({ ...node, taints: [avoided] })),
    };

    expect(provision(cluster, tiny('a')).launched).toHaveLength(1);
    expect(provision({ ...cluster, offerings: [] }, tiny('a')).pending).toEqual([]);
  });
});

describe('ScheduleAnyway', () => {
  it('gives up a spread that cannot be kept', () => {
    const soft = spreadOver(CAPACITY, { whenUnsatisfiable: 'ScheduleAnyway' });
    const spec = { topologySpread: [soft], requests: requesting(1.1) };
    const spot = aPoolRequiring(need(CAPACITY, 'In', 'spot'));
    const before = provision(aCluster({ pools: [spot] }), tiny('first', spec)).after;
    const outcome = provision(
      withPools(before, aPoolRequiring(need(CAPACITY, 'In', 'on-demand'))),
      ...createPods(5, 'a', spec),
    );

    expect(countPodsPerDomain(outcome, CAPACITY)).toEqual([1, 5]);
  });

  it('spreads as long as possible', () => {
    const soft = spreadOver(ZONE, { whenUnsatisfiable: 'ScheduleAnyway', selector: aSelector() });
    const outcome = provision(aCluster(), ...createPods(6, 'a', { topologySpread: [soft] }));

    expect(countPodsPerDomain(outcome)).toEqual([2, 2, 2]);
  });
});
