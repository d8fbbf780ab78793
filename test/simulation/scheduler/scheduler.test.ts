import { describe, expect, it } from 'vitest';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import { aNode, aPodSpec, aRunningPod, podsOf, resources } from '../../support/builders.ts';
import { aHost, listPodNodes, schedule } from '../a-cluster.ts';
import { small } from './zone-pods.ts';

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

      expect(await listPodNodes([aNode()], [there, small('new', { requests: resources(1, 1) })])).toEqual({
        old: 'node-1',
        new: undefined,
      });
    });

    it('does not count finished pods', async () => {
      const done = aRunningPod('node-1', { name: 'old', phase: 'Succeeded' });

      expect(await listPodNodes([aNode()], [done, small('new', { requests: resources(1, 1) })])).toEqual({
        old: 'node-1',
        new: 'node-1',
      });
    });

    it('prefers the emptier of two nodes', async () => {
      const there = aRunningPod('node-1', { name: 'old', labels: { app: 'other' } });

      const locations = await listPodNodes([aNode(), aNode({ name: 'node-2' })], [there, small('new')]);

      expect(locations.new).toBe('node-2');
    });

    it('compares only some of a hundred nodes and more, from the node on where the search before ended', async () => {
      const nodes = Array.from({ length: 150 }, (_, index) =>
        aNode({ name: `node-${index + 1}`, allocatable: resources(index === 149 ? 64 : 2, 64, { pods: 29 }) }),
      );

      const locations = await listPodNodes(nodes, [small('first'), small('second')]);

      expect(locations.first).toBe('node-1');
      expect(locations.second).toBe('node-150');
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
      ['admits a pod that tolerates it', { tolerations: [{ operator: 'Exists', key: 'gpu' }] }, 'node-1'],
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
      const nodes = counts.map((count, index) => aNode({ name: `node-${index + 1}`, taints: avoided(count) }));
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
    const pods = [1, 2, 3].map((index) => aRunningPod('node-1', { ...small(`old-${index}`), ...owned }));
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
});
