import { describe, expect, it } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type {
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../shared/model/pods/pod.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import {
  aNode,
  aPod,
  aPodSpec,
  aRunningPod,
  aSelector,
  podsOf,
  resources,
} from '../../support/builders.ts';
import { aHost, listPodNodes, schedule } from '../a-cluster.ts';

const small = (name: string, spec: Partial<PodSpec> = {}, labels = { app: name }) =>
  aPod({
    name,
    labels,
    spec: aPodSpec({ requests: resources(0.1, 0.1, { pods: 1 }), ...spec }),
  });

const inZone = (name: string, zone: string) => aHost(name, { [ZONE_LABEL]: zone });

const spreadOver = (
  key: string,
  over: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint => ({
  key,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: aSelector({ app: 'web' }),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  ...over,
});

const termFor = (key: string, over: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  key,
  selector: aSelector({ app: 'web' }),
  matchLabelKeys: [],
  namespaces: [],
  ...over,
});

const template = (spec: Partial<PodSpec>) => ({
  labels: { app: 'web' },
  spec: aPodSpec({ requests: resources(0.1, 0.1, { pods: 1 }), ...spec }),
});

const countsByZone = (
  locations: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const location of Object.values(locations)) {
    const key = location?.split('-')[0] ?? 'nowhere';
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

describe('the simulated scheduler', () => {
  describe('resources', () => {
    it('binds no more than is allocatable and marks the rest unschedulable', async () => {
      const pods = await schedule([aNode()], podsOf(3));

      const bound = [...pods.values()].filter(({ nodeName }) => nodeName === 'node-1');
      const rest = [...pods.values()].filter(({ nodeName }) => nodeName === undefined);
      expect(bound).toHaveLength(1);
      expect(rest.every(({ unschedulableSince }) => unschedulableSince !== undefined)).toBe(true);
      expect(bound.every(({ unschedulableSince }) => unschedulableSince === undefined)).toBe(true);
    });

    it('counts pods that are bound to a node already, terminating ones included', async () => {
      const there = aRunningPod('node-1', { name: 'old', deletionAt: Number.MAX_SAFE_INTEGER });

      expect(
        await listPodNodes([aNode()], [there, small('new', { requests: resources(1, 1) })]),
      ).toEqual({ old: 'node-1', new: undefined });
    });

    it('does not count finished pods', async () => {
      const done = aRunningPod('node-1', { name: 'old', phase: 'Succeeded' });

      expect(
        await listPodNodes([aNode()], [done, small('new', { requests: resources(1, 1) })]),
      ).toEqual({ old: 'node-1', new: 'node-1' });
    });

    it('prefers the emptier of two nodes', async () => {
      const there = aRunningPod('node-1', { name: 'old', labels: { app: 'other' } });

      const locations = await listPodNodes(
        [aNode(), aNode({ name: 'node-2' })],
        [there, small('new')],
      );

      expect(locations.new).toBe('node-2');
    });

    it('brings the used shares of CPU and memory closer together', async () => {
      const busy = (node: string, cpus: number, gib: number) =>
        aRunningPod(node, { name: node, spec: aPodSpec({ requests: resources(cpus, gib) }) });
      const nodes = [aNode(), aNode({ name: 'node-2' })];
      const bound = [busy('node-1', 0.193, 3.5), busy('node-2', 0.965, 0.7)];
      const chooseNode = async (requests: Resources) =>
        (await listPodNodes(nodes, [...bound, small('new', { requests })])).new;

      expect(await chooseNode(resources(0.4, 0.1))).toBe('node-1');
      expect(await chooseNode(resources(0.1, 2))).toBe('node-2');
    });

    it('binds the pod with the higher priority first, whichever came first', async () => {
      const needsAll = { requests: resources(1.5, 1, { pods: 1 }) };
      const pods = [small('calm', needsAll), small('urgent', { ...needsAll, priority: 1_000 })];

      expect(await listPodNodes([aNode()], pods)).toEqual({ calm: undefined, urgent: 'node-1' });
    });
  });

  describe('labels and taints', () => {
    const gpu = { key: 'gpu', value: 'yes', effect: 'NoSchedule' } as const;

    it.each<[string, Partial<PodSpec>, string | undefined]>([
      ['a selector that matches', { nodeSelector: { disk: 'fast' } }, 'node-1'],
      ['a selector that does not match', { nodeSelector: { disk: 'slow' } }, undefined],
      [
        'one of several terms',
        {
          requiredNodeTerms: [
            [{ key: 'disk', operator: 'In', values: ['slow'] }],
            [{ key: 'disk', operator: 'Exists' }],
          ],
        },
        'node-1',
      ],
      [
        'a term with one unmet requirement',
        {
          requiredNodeTerms: [
            [
              { key: 'disk', operator: 'Exists' },
              { key: 'cores', operator: 'Gt', values: ['8'] },
            ],
          ],
        },
        undefined,
      ],
    ])('evaluates %s', async (_, spec, location) => {
      const node = aHost('node-1', { disk: 'fast', cores: '8' });

      expect(await listPodNodes([node], [small('a', spec)])).toEqual({ a: location });
    });

    it.each<[string, Partial<PodSpec>, string | undefined]>([
      ['keeps a pod off that does not tolerate it', {}, undefined],
      [
        'admits a pod that tolerates it',
        { tolerations: [{ operator: 'Exists', key: 'gpu' }] },
        'node-1',
      ],
    ])('respects a taint that %s', async (_, spec, location) => {
      const node = aNode({ taints: [gpu] });

      expect(await listPodNodes([node], [small('a', spec)])).toEqual({ a: location });
    });

    it('binds nothing to a node that is being removed', async () => {
      const node = aNode({ taints: [DISRUPTED_TAINT] });

      expect(await listPodNodes([node], [small('a')])).toEqual({ a: undefined });
    });

    it('treats PreferNoSchedule as a preference', async () => {
      const shunned = aNode({ taints: [{ key: 'gpu', effect: 'PreferNoSchedule' }] });

      expect(await listPodNodes([shunned], [small('a')])).toEqual({ a: 'node-1' });
      expect(await listPodNodes([shunned, aNode({ name: 'node-2' })], [small('a')])).toEqual({
        a: 'node-2',
      });
    });
  });

  it('lets any untolerated PreferNoSchedule taint outweigh resources, unless all nodes have as many', async () => {
    const avoided = (count: number): Node['taints'] =>
      ['surplus', 'old'].slice(0, count).map((key) => ({ key, effect: 'PreferNoSchedule' }));
    const full = aRunningPod('node-1', {
      name: 'old',
      spec: aPodSpec({ requests: resources(1.5, 5) }),
    });
    const chooseNode = async (...counts: readonly [number, number]) => {
      const nodes = counts.map((count, index) =>
        aNode({ name: `node-${index + 1}`, taints: avoided(count) }),
      );
      return (await listPodNodes(nodes, [full, small('new')])).new;
    };

    expect(await chooseNode(0, 1)).toBe('node-1');
    expect(await chooseNode(1, 2)).toBe('node-1');
    expect(await chooseNode(1, 1)).toBe('node-2');
  });

  it.each([
    ['spreads the pods of a ReplicaSet over nodes by default', 'ReplicaSet', 'node-2'],
    ['does not spread the pods of a Job by default', 'Job', 'node-1'],
  ])('%s', async (_, kind, location) => {
    const labels = { app: 'web' };
    const owned = { labels, owner: { kind, name: 'web', uid: 'web' } };
    const pods = [1, 2, 3].map((index) =>
      aRunningPod('node-1', { ...small(`old-${index}`), ...owned }),
    );
    const other = aRunningPod('node-2', {
      name: 'other',
      spec: aPodSpec({ requests: resources(0.5, 2) }),
    });
    const nodes = [aHost('node-1'), aHost('node-2')];

    const locations = await listPodNodes(nodes, [...pods, other, { ...small('new'), ...owned }]);

    expect(locations.new).toBe(location);
  });

  it('gives a host port to one pod per node and address', async () => {
    const port = (ip: string) => ({ hostPorts: [{ port: 80, protocol: 'TCP', ip }] });
    const pods = [small('a', port('10.0.0.1')), small('b', port('')), small('c', port('10.0.0.2'))];

    expect(await listPodNodes([aNode()], pods)).toEqual({ a: 'node-1', b: undefined, c: 'node-1' });
  });

  it('ignores a gated pod and does not mark it unschedulable', async () => {
    const pods = await schedule([aNode()], [small('a', { schedulingGates: ['wait'] })]);

    expect(pods.get('a')).toMatchObject({ phase: 'Pending' });
    expect(pods.get('a')?.nodeName).toBeUndefined();
    expect(pods.get('a')?.unschedulableSince).toBeUndefined();
  });

  describe('topology spread', () => {
    const zones = [inZone('a-1', 'a'), inZone('b-1', 'b'), inZone('c-1', 'c')];

    it('keeps zones within maxSkew', async () => {
      const pods = podsOf(7, template({ topologySpread: [spreadOver(ZONE_LABEL)] }));

      const counts = countsByZone(await listPodNodes(zones, pods));

      expect(Object.values(counts).toSorted()).toEqual([2, 2, 3]);
    });

    it('stops if the emptiest zone is full', async () => {
      const full = aHost('c-1', { [ZONE_LABEL]: 'c' }, { allocatable: resources(0, 0) });
      const pods = podsOf(7, template({ topologySpread: [spreadOver(ZONE_LABEL)] }));

      const counts = countsByZone(await listPodNodes([...zones.slice(0, 2), full], pods));

      expect(counts).toEqual({ a: 1, b: 1, nowhere: 5 });
    });

    it('counts a missing domain as empty while there are fewer than minDomains', async () => {
      const spread = spreadOver(ZONE_LABEL, { minDomains: 3 });
      const pods = podsOf(7, template({ topologySpread: [spread] }));

      const counts = countsByZone(await listPodNodes(zones.slice(0, 2), pods));

      expect(counts).toEqual({ a: 1, b: 1, nowhere: 5 });
    });

    it.each([
      ['Honor', { a: 3 }],
      ['Ignore', { a: 1, nowhere: 2 }],
    ] as const)('applies nodeAffinityPolicy %s', async (nodeAffinityPolicy, expected) => {
      const pods = podsOf(
        3,
        template({
          nodeSelector: { [ZONE_LABEL]: 'a' },
          topologySpread: [spreadOver(ZONE_LABEL, { nodeAffinityPolicy })],
        }),
      );

      expect(countsByZone(await listPodNodes(zones, pods))).toEqual(expected);
    });

    it.each([
      ['Honor', { a: 3 }],
      ['Ignore', { a: 1, nowhere: 2 }],
    ] as const)('applies nodeTaintsPolicy %s', async (nodeTaintsPolicy, expected) => {
      const tainted = aHost('b-1', { [ZONE_LABEL]: 'b' }, { taints: [DISRUPTED_TAINT] });
      const pods = podsOf(
        3,
        template({ topologySpread: [spreadOver(ZONE_LABEL, { nodeTaintsPolicy })] }),
      );

      const locations = await listPodNodes([inZone('a-1', 'a'), tainted], pods);

      expect(countsByZone(locations)).toEqual(expected);
    });

    it('spreads over hostnames one by one', async () => {
      const pods = podsOf(3, template({ topologySpread: [spreadOver(HOSTNAME_LABEL)] }));

      expect(countsByZone(await listPodNodes(zones, pods))).toEqual({ a: 1, b: 1, c: 1 });
    });

    it('does not count terminating pods', async () => {
      const leaving = aRunningPod('a-1', { name: 'old', deletionAt: Number.MAX_SAFE_INTEGER });
      const pods = podsOf(2, template({ topologySpread: [spreadOver(ZONE_LABEL)] }));

      const { old: _, ...locations } = await listPodNodes(zones.slice(0, 2), [leaving, ...pods]);

      expect(countsByZone(locations)).toEqual({ a: 1, b: 1 });
    });

    it('distinguishes versions of a workload by matchLabelKeys', async () => {
      const spread = spreadOver(ZONE_LABEL, { matchLabelKeys: ['version'] });
      const old = aRunningPod('a-1', { name: 'old', labels: { app: 'web', version: '1' } });
      const pods = podsOf(2, {
        ...template({ topologySpread: [spread] }),
        labels: { app: 'web', version: '2' },
      });

      const { old: _, ...locations } = await listPodNodes(zones.slice(0, 2), [old, ...pods]);

      expect(countsByZone(locations)).toEqual({ a: 1, b: 1 });
    });

    it('keeps a pod off nodes without the key', async () => {
      const pods = podsOf(1, template({ topologySpread: [spreadOver('rack')] }));

      expect(await listPodNodes(zones, pods)).toEqual({ 'web-1': undefined });
    });

    it('treats ScheduleAnyway as a preference', async () => {
      const request = spreadOver(ZONE_LABEL, { whenUnsatisfiable: 'ScheduleAnyway' });
      const pods = podsOf(6, template({ topologySpread: [request] }));

      expect(countsByZone(await listPodNodes(zones, pods))).toEqual({ a: 2, b: 2, c: 2 });
      expect(countsByZone(await listPodNodes(zones.slice(0, 1), pods))).toEqual({ a: 6 });
    });
  });

  describe('pod affinity', () => {
    const hosts = [inZone('a-1', 'a'), inZone('a-2', 'a'), inZone('b-1', 'b')];

    it('separates pods with anti-affinity', async () => {
      const pods = podsOf(4, template({ podAntiAffinity: [termFor(HOSTNAME_LABEL)] }));

      const counts = countsByZone(await listPodNodes(hosts, pods));

      expect(counts).toEqual({ a: 2, b: 1, nowhere: 1 });
    });

    it('respects the anti-affinity of bound pods', async () => {
      const guard = aRunningPod('a-1', {
        name: 'guard',
        labels: { app: 'guard' },
        spec: aPodSpec({ podAntiAffinity: [termFor(ZONE_LABEL)] }),
      });

      const locations = await listPodNodes(hosts, [guard, small('new', {}, { app: 'web' })]);

      expect(locations.new).toBe('b-1');
    });

    it('applies terms to their namespaces only', async () => {
      const guard = (term: Partial<PodAffinityTerm>) =>
        aRunningPod('a-1', {
          name: 'guard',
          namespace: 'bank',
          labels: { app: 'guard' },
          spec: aPodSpec({ podAntiAffinity: [termFor(ZONE_LABEL, term)] }),
        });
      const namespaces = { bank: {}, default: { team: 'shop' } };
      const placeBeside = async (term: Partial<PodAffinityTerm>) => {
        const pods = [guard(term), small('new', {}, { app: 'web' })];
        return (await listPodNodes(hosts.slice(0, 2), pods, namespaces)).new;
      };

      expect(await placeBeside({})).toBe('a-2');
      expect(await placeBeside({ namespaces: ['default'] })).toBeUndefined();
      expect(await placeBeside({ namespaceSelector: aSelector({ team: 'shop' }) })).toBeUndefined();
      expect(await placeBeside({ namespaceSelector: aSelector({ team: 'ads' }) })).toBe('a-2');
    });

    it('follows the pods that its affinity selects', async () => {
      const there = aRunningPod('b-1', { name: 'there', labels: { app: 'web' } });
      const wants = { podAffinity: [termFor(ZONE_LABEL)] };

      const locations = await listPodNodes(hosts, [there, small('new', wants)]);

      expect(locations.new).toBe('b-1');
    });

    it.each<[string, Partial<PodSpec>, string]>([
      [
        'away from',
        { preferredPodAntiAffinity: [{ weight: 100, term: termFor(ZONE_LABEL) }] },
        'b-1',
      ],
      [
        'next to',
        { preferredPodAffinity: [{ weight: 100, term: termFor(HOSTNAME_LABEL) }] },
        'a-2',
      ],
    ])('prefers nodes %s the selected pods, and accepts any other', async (...row) => {
      const [, request, location] = row;
      const there = aRunningPod('a-2', { name: 'there', labels: { app: 'web' } });
      const placeAmong = async (nodes: Parameters<typeof listPodNodes>[0]) =>
        (await listPodNodes(nodes, [there, small('new', request)])).new;

      expect(await placeAmong(hosts)).toBe(location);
      expect(await placeAmong(hosts.slice(0, 1))).toBe('a-1');
    });

    it('avoids the neighbours that prefer to be without it', async () => {
      const shy = { preferredPodAntiAffinity: [{ weight: 1, term: termFor(ZONE_LABEL) }] };
      const there = aRunningPod('a-1', { ...small('shy', shy), nodeName: 'a-1' });

      const locations = await listPodNodes(hosts, [there, small('new', {}, { app: 'web' })]);

      expect(locations.new).toBe('b-1');
    });

    it('waits if no selected pod runs', async () => {
      const wants = { podAffinity: [termFor(ZONE_LABEL)] };

      expect(await listPodNodes(hosts, [small('new', wants)])).toEqual({ new: undefined });
    });

    it('starts a group with affinity to itself anywhere, and keeps it together', async () => {
      const pods = podsOf(5, template({ podAffinity: [termFor(ZONE_LABEL)] }));

      const counts = countsByZone(await listPodNodes(hosts, pods));

      expect(Object.values(counts)).toEqual([5]);
    });
  });
});
