import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import { aPod, aPodSpec, aSelector } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  affinityTo,
  aPool,
  aPoolRequiring,
  createPods,
  HOSTNAME,
  need,
  requesting,
  requiringNode,
  spreadOver,
  tiny,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import {
  countPodsPerDomain,
  countPodsPerNode,
  findNodeOfPod,
  findZoneOfPod,
  listReasonCodes,
  type ProvisionOutcome,
  provision,
} from '../support/provision.ts';

const inZone = (zone: string): Partial<PodSpec> => ({ nodeSelector: { [ZONE]: zone } });
const likes = (app: string, key: string): Partial<PodSpec> => ({
  podAffinity: [affinityTo(app, key)],
});
const avoids = (app: string, key: string): Partial<PodSpec> => ({
  podAntiAffinity: [affinityTo(app, key)],
});
const named = (name: string, spec: Partial<PodSpec> = {}): Pod => tiny(name, spec, { app: name });
const isTogether = (outcome: ProvisionOutcome, a: string, b: string): boolean =>
  findNodeOfPod(outcome, a) !== undefined && findNodeOfPod(outcome, a) === findNodeOfPod(outcome, b);

describe('pod affinity of pods to themselves', () => {
  it('requires nothing if there are no terms', () => {
    expect(provision(aCluster(), tiny('a', { podAffinity: [], podAntiAffinity: [] })).pending).toEqual([]);
  });

  it('puts all pods on one node with the hostname key', () => {
    expect(countPodsPerNode(provision(aCluster(), ...createPods(3, 'a', likes('web', HOSTNAME))))).toEqual([3]);
  });

  it('places no more pods than one node holds with the hostname key, and later pods find it full', () => {
    const first = provision(aCluster(), ...createPods(10, 'a', likes('web', HOSTNAME)));
    const second = provision(first.after);

    expect(countPodsPerNode(first)).toEqual([5]);
    expect(second.pending).toHaveLength(5);
    expect(second.launched).toEqual([]);
  });

  it('does not start a second host group while the first is out of reach', () => {
    const before = provision(aCluster(), tiny('first', { ...likes('web', HOSTNAME), ...inZone(Z1) }));
    const more = createPods(10, 'a', {
      ...likes('web', HOSTNAME),
      ...requiringNode(need(ZONE, 'In', Z2, Z3)),
    });

    expect(provision(before.after, ...more).pending).toHaveLength(10);
  });

  it('puts all pods in one zone with the zone key', () => {
    expect(countPodsPerDomain(provision(aCluster(), ...createPods(3, 'a', likes('web', ZONE))))).toEqual([3]);
  });

  it('puts all pods in the required zone with the zone key', () => {
    const outcome = provision(
      aCluster(),
      ...createPods(3, 'a', { ...likes('web', ZONE), ...requiringNode(need(ZONE, 'In', Z3)) }),
    );

    expect(findZoneOfPod(outcome, 'a-1')).toBe(Z3);
    expect(countPodsPerDomain(outcome)).toEqual([3]);
  });

  it('gives each group its own zone if the selectors separate them', () => {
    const outcome = provision(
      aCluster(),
      tiny('a', { ...likes('web', ZONE), ...inZone(Z2) }),
      tiny('b', { ...likes('web', ZONE), ...inZone(Z3) }),
    );

    expect(outcome.launched).toHaveLength(2);
  });

  it("joins the existing pods' zone in batch after batch", () => {
    const first = provision(aCluster(), ...createPods(3, 'a', likes('web', ZONE)));
    const second = provision(first.after, ...createPods(3, 'b', likes('web', ZONE)));

    expect(countPodsPerDomain(second)).toEqual([6]);
  });
});

describe('pod affinity to other pods', () => {
  it('joins them by host while they spread', () => {
    const group = createPods(10, 'crowd', {
      topologySpread: [spreadOver(HOSTNAME)],
    });
    const outcome = provision(aCluster(), ...group, named('follower', likes('target', HOSTNAME)), named('target'));

    expect(isTogether(outcome, 'follower', 'target')).toBe(true);
  });

  it('joins them by architecture on separate hosts', () => {
    const apart = {
      topologySpread: [spreadOver(HOSTNAME, { selector: aSelector({ tier: 'x' }) })],
    };
    const tier = (name: string, spec: Partial<PodSpec>) => tiny(name, { ...spec, ...apart }, { app: name, tier: 'x' });
    const outcome = provision(
      aCluster(),
      tier('target', { requests: requesting(2), nodeSelector: { [ARCH]: 'arm64' } }),
      tier('follower', { requests: requesting(1), ...likes('target', ARCH) }),
    );

    expect(outcome.launched).toHaveLength(2);
    expect(findNodeOfPod(outcome, 'follower')?.labels[ARCH]).toBe('arm64');
  });

  it('fails if no pod matches', () => {
    const outcome = provision(aCluster(), ...createPods(10, 'a', likes('nobody', HOSTNAME)));

    expect(outcome.pending).toHaveLength(10);
    expect(listReasonCodes(outcome)).toEqual(['pod-affinity']);
  });

  it('follows a pod whose zone is free, in one loop', () => {
    const outcome = provision(aCluster(), ...createPods(10, 'a', likes('target', ZONE)), named('target'));

    expect(outcome.pending).toEqual([]);
    expect(new Set([...outcome.after.pods].map(({ name }) => findZoneOfPod(outcome, name))).size).toBe(1);
  });

  it('follows a pod whose zone is given', () => {
    const outcome = provision(aCluster(), ...createPods(10, 'a', likes('target', ZONE)), named('target', inZone(Z1)));

    expect(new Set(outcome.after.pods.map(({ name }) => findZoneOfPod(outcome, name)))).toEqual(new Set([Z1]));
  });

  it.each([
    [['db', 'web', 'cache', 'ui']],
    [['ui', 'cache', 'web', 'db']],
    [['cache', 'db', 'ui', 'web']],
    [['web', 'ui', 'db', 'cache']],
  ])('places a chain in one loop, requested as %s', (order) => {
    const follows: Record<string, string> = { web: 'db', cache: 'web', ui: 'cache' };
    const pods = order.map((name) => {
      const target = follows[name];
      return named(name, target === undefined ? {} : likes(target, HOSTNAME));
    });
    const outcome = provision(aCluster(), ...pods);

    expect(outcome.pending).toEqual([]);
    expect(outcome.launched).toHaveLength(1);
  });

  it('fails for a cycle that no pod can start', () => {
    const outcome = provision(aCluster(), named('a', likes('b', HOSTNAME)), named('b', likes('a', HOSTNAME)));

    expect(outcome.pending.toSorted()).toEqual(['a', 'b']);
  });

  const elsewhere = aPod({
    name: 'target',
    namespace: 'other',
    labels: { app: 'target' },
    spec: aPodSpec({ requests: requesting(0.1) }),
  });
  const namespaces = {
    default: { 'kubernetes.io/metadata.name': 'default' },
    other: { 'kubernetes.io/metadata.name': 'other' },
  };
  it.each([
    ['is not seen without its namespace', {}, false],
    ['is seen in a namespace that is listed', { namespaces: ['other'] }, true],
    ['is seen when every namespace is meant', { namespaceSelector: { matchLabels: {}, matchExpressions: [] } }, true],
  ])('handles a target elsewhere: %s', (_, over, observed) => {
    const before = provision(aCluster({ namespaces }), elsewhere).after;
    const outcome = provision(before, named('a', { podAffinity: [affinityTo('target', HOSTNAME, over)] }));

    expect(isTogether(outcome, 'a', 'target')).toBe(observed);
  });
});

describe('pod anti-affinity', () => {
  it.each([
    ['the one first', ['a', 'b']],
    ['the other first', ['b', 'a']],
  ])('needs two nodes with the hostname key, %s', (_, order) => {
    const pods = order.map((name) =>
      named(name, { podAntiAffinity: [affinityTo('a', HOSTNAME), affinityTo('b', HOSTNAME)] }),
    );

    expect(provision(aCluster(), ...pods).launched).toHaveLength(2);
  });

  it('works in both directions if only one pod carries it', () => {
    const outcome = provision(aCluster(), named('a'), named('b', avoids('a', HOSTNAME)));

    expect(outcome.launched).toHaveLength(2);
  });

  const inEveryZone = (spec: Partial<PodSpec> = {}) =>
    [Z1, Z2, Z3].map((zone) => named(`in-${zone}`, { ...spec, ...inZone(zone) }));
  const fromAll = [Z1, Z2, Z3].map((zone) => affinityTo(`in-${zone}`, ZONE));

  it('fails with the zone key if matching pods are in all zones', () => {
    const outcome = provision(aCluster(), ...inEveryZone(), named('a', { podAntiAffinity: fromAll }));

    expect(outcome.pending).toEqual(['a']);
    expect(listReasonCodes(outcome)).toEqual(['pod-anti-affinity']);
  });

  it('avoids the zone of a pod whose zone is free, in one loop', () => {
    const outcome = provision(aCluster(), named('x', { requests: requesting(2) }), named('a', avoids('x', ZONE)));

    expect(outcome.pending).toEqual([]);
    expect(findZoneOfPod(outcome, 'a')).not.toBe(findZoneOfPod(outcome, 'x'));
  });

  it('separates pods by architecture', () => {
    const outcome = provision(
      aCluster(),
      named('x', { requests: requesting(2), nodeSelector: { [ARCH]: 'arm64' } }),
      named('a', { requests: requesting(1), ...avoids('x', ARCH) }),
    );

    expect(findNodeOfPod(outcome, 'a')?.labels[ARCH]).toBe('amd64');
  });

  it('keeps a pod without anti-affinity away', () => {
    const outcome = provision(aCluster(), ...inEveryZone(avoids('x', ZONE)), named('x'));

    expect(outcome.pending).toEqual(['x']);
  });

  it('does not keep other pods away if it is only preferred', () => {
    const preferred = { preferredPodAntiAffinity: [{ weight: 1, term: affinityTo('x', ZONE) }] };
    const outcome = provision(aCluster(), ...inEveryZone(preferred), named('x'));

    expect(outcome.pending).toEqual([]);
  });

  it('keeps pods away if a running pod carries it', () => {
    const before = provision(aCluster(), ...inEveryZone(avoids('x', ZONE))).after;

    expect(provision(before, named('x')).pending).toEqual(['x']);
  });

  it('keeps a pod away from running pods', () => {
    const before = provision(aCluster(), ...inEveryZone()).after;
    const outcome = provision(before, named('a', { podAntiAffinity: fromAll }));

    expect(outcome.pending).toEqual(['a']);
  });

  it("leaves another zone to the pods that it excludes if the owner's zone is free", () => {
    const outcome = provision(aCluster(), named('a', { requests: requesting(2), ...avoids('x', ZONE) }), named('x'));

    expect(outcome.pending).toEqual([]);
    expect(findZoneOfPod(outcome, 'a')).not.toBe(findZoneOfPod(outcome, 'x'));
  });

  it('puts one pod in each zone, and no more pods than there are zones', () => {
    const first = provision(aCluster(), ...createPods(3, 'a', avoids('web', ZONE)));
    const second = provision(first.after, ...createPods(3, 'b', avoids('web', ZONE)));

    expect(countPodsPerDomain(first)).toEqual([1, 1, 1]);
    expect(second.pending).toHaveLength(3);
  });

  it('puts one pod on each host', () => {
    const outcome = provision(aCluster(), ...createPods(7, 'a', avoids('web', HOSTNAME)));

    expect(countPodsPerNode(outcome)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  });

  it('may be violated if it is only preferred', () => {
    const before = provision(aCluster(), ...inEveryZone()).after;
    const spec = {
      preferredPodAntiAffinity: fromAll.map((term) => ({ weight: 1, term })),
    };

    expect(provision(before, named('a', spec)).pending).toEqual([]);
  });

  it('with the zone key excludes only the zone of its owner', () => {
    const cluster = withPools(aCluster(), aPool(), {
      ...aPoolRequiring(need(ZONE, 'In', Z3)),
      name: 'third',
    });
    const outcome = provision(
      cluster,
      named('a', { ...avoids('x', ZONE), ...requiringNode(need(ZONE, 'In', Z1, Z2)) }),
      ...createPods(2, 'x', {}, { app: 'x' }),
    );

    expect(outcome.pending).toEqual([]);
    expect(findZoneOfPod(outcome, 'x-1')).not.toBe(findZoneOfPod(outcome, 'a'));
  });
});
