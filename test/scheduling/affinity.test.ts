import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../shared/model/pods/pod.ts';
import { aPod, aPodSpec, aSelector } from '../support/builders.ts';
import {
  ARCH,
  aCluster,
  aPool,
  asking,
  HOSTNAME,
  mustBe,
  need,
  poolOf,
  several,
  spreadOver,
  tiny,
  to,
  withPools,
  Z1,
  Z2,
  Z3,
  ZONE,
} from './fixture.ts';
import {
  nodeOf,
  type Outcome,
  podCounts,
  provision,
  reasonsOf,
  skew,
  zoneOf,
} from './provision.ts';

const inZone = (zone: string): Partial<PodSpec> => ({ nodeSelector: { [ZONE]: zone } });
const likes = (app: string, key: string): Partial<PodSpec> => ({ podAffinity: [to(app, key)] });
const avoids = (app: string, key: string): Partial<PodSpec> => ({
  podAntiAffinity: [to(app, key)],
});
const named = (name: string, spec: Partial<PodSpec> = {}): Pod => tiny(name, spec, { app: name });
const isTogether = (outcome: Outcome, a: string, b: string): boolean =>
  nodeOf(outcome, a) !== undefined && nodeOf(outcome, a) === nodeOf(outcome, b);

describe('affinity to oneself', () => {
  it('terms that are not there ask for nothing', () => {
    expect(
      provision(aCluster(), tiny('a', { podAffinity: [], podAntiAffinity: [] })).pending,
    ).toEqual([]);
  });

  it('by host, all on one node', () => {
    expect(podCounts(provision(aCluster(), ...several(3, 'a', likes('web', HOSTNAME))))).toEqual([
      3,
    ]);
  });

  it('by host, no more than one node holds; later ones find it full', () => {
    const first = provision(aCluster(), ...several(10, 'a', likes('web', HOSTNAME)));
    const second = provision(first.after);

    expect(podCounts(first)).toEqual([5]);
    expect(second.pending).toHaveLength(5);
    expect(second.launched).toEqual([]);
  });

  it('by host, not where the first one is out of reach', () => {
    const before = provision(
      aCluster(),
      tiny('first', { ...likes('web', HOSTNAME), ...inZone(Z1) }),
    );
    const more = several(10, 'a', {
      ...likes('web', HOSTNAME),
      ...mustBe(need(ZONE, 'In', Z2, Z3)),
    });

    expect(provision(before.after, ...more).pending).toHaveLength(10);
  });

  it('by zone, all in one', () => {
    expect(skew(provision(aCluster(), ...several(3, 'a', likes('web', ZONE))))).toEqual([3]);
  });

  it('by zone, in the one that they must be in', () => {
    const outcome = provision(
      aCluster(),
      ...several(3, 'a', { ...likes('web', ZONE), ...mustBe(need(ZONE, 'In', Z3)) }),
    );

    expect(zoneOf(outcome, 'a-1')).toBe(Z3);
    expect(skew(outcome)).toEqual([3]);
  });

  it('by zone, each in its own where selectors part them', () => {
    const outcome = provision(
      aCluster(),
      tiny('a', { ...likes('web', ZONE), ...inZone(Z2) }),
      tiny('b', { ...likes('web', ZONE), ...inZone(Z3) }),
    );

    expect(outcome.launched).toHaveLength(2);
  });

  it('by zone, where the others are, batch after batch', () => {
    const first = provision(aCluster(), ...several(3, 'a', likes('web', ZONE)));
    const second = provision(first.after, ...several(3, 'b', likes('web', ZONE)));

    expect(skew(second)).toEqual([6]);
  });
});

describe('affinity to others', () => {
  it('by host, amid pods that spread', () => {
    const crowd = several(10, 'crowd', {
      topologySpread: [spreadOver(HOSTNAME)],
    });
    const outcome = provision(
      aCluster(),
      ...crowd,
      named('follower', likes('target', HOSTNAME)),
      named('target'),
    );

    expect(isTogether(outcome, 'follower', 'target')).toBe(true);
  });

  it('by architecture, on hosts apart', () => {
    const apart = {
      topologySpread: [spreadOver(HOSTNAME, { selector: aSelector({ tier: 'x' }) })],
    };
    const tier = (name: string, spec: Partial<PodSpec>) =>
      tiny(name, { ...spec, ...apart }, { app: name, tier: 'x' });
    const outcome = provision(
      aCluster(),
      tier('target', { requests: asking(2), nodeSelector: { [ARCH]: 'arm64' } }),
      tier('follower', { requests: asking(1), ...likes('target', ARCH) }),
    );

    expect(outcome.launched).toHaveLength(2);
    expect(nodeOf(outcome, 'follower')?.labels[ARCH]).toBe('arm64');
  });

  it('to somebody who does not exist fails', () => {
    const outcome = provision(aCluster(), ...several(10, 'a', likes('nobody', HOSTNAME)));

    expect(outcome.pending).toHaveLength(10);
    expect(reasonsOf(outcome)).toEqual(['pod-affinity']);
  });

  it('to a pod whose zone is open, in one loop', () => {
    const outcome = provision(
      aCluster(),
      ...several(10, 'a', likes('target', ZONE)),
      named('target'),
    );

    expect(outcome.pending).toEqual([]);
    expect(new Set([...outcome.after.pods].map(({ name }) => zoneOf(outcome, name))).size).toBe(1);
  });

  it('to a pod whose zone is given', () => {
    const outcome = provision(
      aCluster(),
      ...several(10, 'a', likes('target', ZONE)),
      named('target', inZone(Z1)),
    );

    expect(new Set(outcome.after.pods.map(({ name }) => zoneOf(outcome, name)))).toEqual(
      new Set([Z1]),
    );
  });

  it.each([
    [['db', 'web', 'cache', 'ui']],
    [['ui', 'cache', 'web', 'db']],
    [['cache', 'db', 'ui', 'web']],
    [['web', 'ui', 'db', 'cache']],
  ])('a chain is placed in one loop, asked for as %s', (order) => {
    const follows: Record<string, string> = { web: 'db', cache: 'web', ui: 'cache' };
    const pods = order.map((name) => {
      const target = follows[name];
      return named(name, target === undefined ? {} : likes(target, HOSTNAME));
    });
    const outcome = provision(aCluster(), ...pods);

    expect(outcome.pending).toEqual([]);
    expect(outcome.launched).toHaveLength(1);
  });

  it('a circle that nobody can begin fails', () => {
    const outcome = provision(
      aCluster(),
      named('a', likes('b', HOSTNAME)),
      named('b', likes('a', HOSTNAME)),
    );

    expect(outcome.pending.toSorted()).toEqual(['a', 'b']);
  });

  const elsewhere = aPod({
    name: 'target',
    namespace: 'other',
    labels: { app: 'target' },
    spec: aPodSpec({ requests: asking(0.1) }),
  });
  const namespaces = {
    default: { 'kubernetes.io/metadata.name': 'default' },
    other: { 'kubernetes.io/metadata.name': 'other' },
  };
  it.each([
    ['is not seen without its namespace', {}, false],
    ['is seen in a namespace that is listed', { namespaces: ['other'] }, true],
    [
      'is seen when every namespace is meant',
      { namespaceSelector: { matchLabels: {}, matchExpressions: [] } },
      true,
    ],
  ])('a target elsewhere %s', (_, over, seen) => {
    const before = provision(aCluster({ namespaces }), elsewhere).after;
    const outcome = provision(before, named('a', { podAffinity: [to('target', HOSTNAME, over)] }));

    expect(isTogether(outcome, 'a', 'target')).toBe(seen);
  });
});

describe('anti-affinity', () => {
  it.each([
    ['the one first', ['a', 'b']],
    ['the other first', ['b', 'a']],
  ])('by host, two nodes, %s', (_, order) => {
    const pods = order.map((name) =>
      named(name, { podAntiAffinity: [to('a', HOSTNAME), to('b', HOSTNAME)] }),
    );

    expect(provision(aCluster(), ...pods).launched).toHaveLength(2);
  });

  it('of one pod alone keeps the other away as well', () => {
    const outcome = provision(aCluster(), named('a'), named('b', avoids('a', HOSTNAME)));

    expect(outcome.launched).toHaveLength(2);
  });

  const inEveryZone = (spec: Partial<PodSpec> = {}) =>
    [Z1, Z2, Z3].map((zone) => named(`in-${zone}`, { ...spec, ...inZone(zone) }));
  const fromAll = [Z1, Z2, Z3].map((zone) => to(`in-${zone}`, ZONE));

  it('by zone, to pods in all of them, fails', () => {
    const outcome = provision(
      aCluster(),
      ...inEveryZone(),
      named('a', { podAntiAffinity: fromAll }),
    );

    expect(outcome.pending).toEqual(['a']);
    expect(reasonsOf(outcome)).toEqual(['pod-anti-affinity']);
  });

  it('by zone, to a pod whose zone is open, in one loop', () => {
    const outcome = provision(
      aCluster(),
      named('x', { requests: asking(2) }),
      named('a', avoids('x', ZONE)),
    );

    expect(outcome.pending).toEqual([]);
    expect(zoneOf(outcome, 'a')).not.toBe(zoneOf(outcome, 'x'));
  });

  it('by architecture', () => {
    const outcome = provision(
      aCluster(),
      named('x', { requests: asking(2), nodeSelector: { [ARCH]: 'arm64' } }),
      named('a', { requests: asking(1), ...avoids('x', ARCH) }),
    );

    expect(nodeOf(outcome, 'a')?.labels[ARCH]).toBe('amd64');
  });

  it('of others keeps a pod away that has none itself', () => {
    const outcome = provision(aCluster(), ...inEveryZone(avoids('x', ZONE)), named('x'));

    expect(outcome.pending).toEqual(['x']);
  });

  it('that is only preferred does not', () => {
    const preferred = { preferredPodAntiAffinity: [{ weight: 1, term: to('x', ZONE) }] };
    const outcome = provision(aCluster(), ...inEveryZone(preferred), named('x'));

    expect(outcome.pending).toEqual([]);
  });

  it('of pods that run counts the same', () => {
    const before = provision(aCluster(), ...inEveryZone(avoids('x', ZONE))).after;

    expect(provision(before, named('x')).pending).toEqual(['x']);
  });

  it('to pods that run counts the same', () => {
    const before = provision(aCluster(), ...inEveryZone()).after;
    const outcome = provision(before, named('a', { podAntiAffinity: fromAll }));

    expect(outcome.pending).toEqual(['a']);
  });

  it('of a pod whose zone is open leaves another zone to those that it refuses', () => {
    const outcome = provision(
      aCluster(),
      named('a', { requests: asking(2), ...avoids('x', ZONE) }),
      named('x'),
    );

    expect(outcome.pending).toEqual([]);
    expect(zoneOf(outcome, 'a')).not.toBe(zoneOf(outcome, 'x'));
  });

  it('to oneself by zone, one to each, and no more than there are zones', () => {
    const first = provision(aCluster(), ...several(3, 'a', avoids('web', ZONE)));
    const second = provision(first.after, ...several(3, 'b', avoids('web', ZONE)));

    expect(skew(first)).toEqual([1, 1, 1]);
    expect(second.pending).toHaveLength(3);
  });

  it('to oneself by host, one to each', () => {
    const outcome = provision(aCluster(), ...several(7, 'a', avoids('web', HOSTNAME)));

    expect(podCounts(outcome)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  });

  it('that is only preferred may be violated', () => {
    const before = provision(aCluster(), ...inEveryZone()).after;
    const spec = {
      preferredPodAntiAffinity: fromAll.map((term) => ({ weight: 1, term })),
    };

    expect(provision(before, named('a', spec)).pending).toEqual([]);
  });

  it('by zone bars only the zone that its owner got', () => {
    const cluster = withPools(aCluster(), aPool(), {
      ...poolOf(need(ZONE, 'In', Z3)),
      name: 'third',
    });
    const outcome = provision(
      cluster,
      named('a', { ...avoids('x', ZONE), ...mustBe(need(ZONE, 'In', Z1, Z2)) }),
      ...several(2, 'x', {}, { app: 'x' }),
    );

    expect(outcome.pending).toEqual([]);
    expect(zoneOf(outcome, 'x-1')).not.toBe(zoneOf(outcome, 'a'));
  });
});
