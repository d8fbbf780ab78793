import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { ExistingNode } from '../../../shared/scheduling/input/existing-nodes.ts';
import { type Problem, prepare } from '../../../shared/scheduling/input/problem.ts';
import { createNodeRooms } from '../../../shared/scheduling/removal/node-rooms.ts';
import { aFleet, type FleetNode, web } from '../../disruption/fleet.ts';
import { aPodSpec, resources } from '../../support/builders.ts';

const spec = (cpus: number, over: Partial<PodSpec> = {}): PodSpec =>
  aPodSpec({ requests: resources(cpus, 1, { pods: 1 }), ...over });

const prepareFleet = (...nodes: readonly FleetNode[]): Problem => prepare(aFleet(nodes));

/** Counts how often the room of each node is read. */
function withCountedReads(nodes: readonly ExistingNode[]) {
  const reads = new Map<string, number>();
  const counted = nodes.map(
    (node): ExistingNode => ({
      ...node,
      get free() {
        reads.set(node.name, (reads.get(node.name) ?? 0) + 1);
        return node.free;
      },
    }),
  );
  return { reads, counted };
}

describe('the room on nodes', () => {
  it('is the number of pods that fit on each node, without the nodes that are named', () => {
    const problem = prepareFleet({ name: 'a', type: 'small', pods: [web('web-1', 1)] }, { name: 'b', type: 'medium' });
    const rooms = createNodeRooms(problem.existingNodes, problem);

    expect(rooms.totalWithout([], spec(0.5))).toBe(2 + 8);
    expect(rooms.totalWithout(['b'], spec(0.5))).toBe(2);
    expect(rooms.totalWithout([], spec(3))).toBe(1);
  });

  it('is none where labels do not admit the pod', () => {
    const problem = prepareFleet({ name: 'a' }, { name: 'b' });
    const rooms = createNodeRooms(problem.existingNodes, problem);
    const onB = spec(1, { nodeSelector: { 'kubernetes.io/hostname': 'b' } });

    expect(rooms.totalWithout([], onB)).toBe(2);
    expect([...rooms.listNodes([onB])]).toEqual(['b']);
  });

  it('lists the nodes with room for some of the pods', () => {
    const problem = prepareFleet(
      { name: 'full', type: 'small', pods: [web('web-1', 2)] },
      { name: 'large', type: 'large' },
      { name: 'small', type: 'small' },
    );
    const rooms = createNodeRooms(problem.existingNodes, problem);

    expect([...rooms.listNodes([spec(4)])]).toEqual(['large']);
    expect([...rooms.listNodes([spec(4), spec(1)])]).toEqual(['large', 'small']);
  });

  it('is counted again only on nodes that have changed', () => {
    const problem = prepareFleet({ name: 'a' }, { name: 'b' }, { name: 'c' });
    const { reads, counted } = withCountedReads(problem.existingNodes);
    const [, b] = counted;
    const rooms = createNodeRooms(counted, problem);
    rooms.totalWithout([], spec(1));
    reads.clear();

    const after = rooms.after(
      new Map([
        ['a', undefined],
        ['b', b && { ...b, free: b.free.map((amount) => amount / 2) }],
      ]),
    );
    reads.clear();

    expect(after.totalWithout([], spec(1))).toBe(1 + 2);
    expect([...after.listNodes([spec(1)])]).toEqual(['b', 'c']);
    expect(reads.get('c')).toBeUndefined();
  });

  it('is counted once for workloads that request the same', () => {
    const problem = prepareFleet({ name: 'a' }, { name: 'b' });
    const { reads, counted } = withCountedReads(problem.existingNodes);
    const rooms = createNodeRooms(counted, problem);
    rooms.totalWithout([], spec(1));
    reads.clear();

    expect(rooms.totalWithout([], spec(1))).toBe(4);
    expect(reads.size).toBe(0);
  });
});
