import { describe, expect, it } from 'vitest';
import { sortByFillOrder } from '../../../shared/scheduling/assignment/fill-order.ts';
import type { ExistingNode } from '../../../shared/scheduling/input/existing-nodes.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { aFleet, web } from '../../disruption/fleet.ts';

const prepared = prepare(
  aFleet([
    { name: 'a', pods: [web('a-1', 0.5)] },
    { name: 'b', pods: [web('b-1', 1.5)] },
    { name: 'c', pods: [web('c-1', 0.5)] },
    { name: 'joining', pods: [web('d-1', 1)] },
  ]),
);
const existingNodes = prepared.existingNodes.map((node) =>
  node.name === 'joining' ? { ...node, initialized: false } : node,
);
const problem = { ...prepared, existingNodes, runningNodes: existingNodes };

const names = (nodes: readonly ExistingNode[]): string[] => nodes.map(({ name }) => name);
const findFree = ({ free }: ExistingNode) => free;

describe('the fill order', () => {
  it('is initialized nodes, the fullest first, then by name', () => {
    expect(names(sortByFillOrder(existingNodes, findFree, problem))).toEqual(['b', 'a', 'c', 'joining']);
  });

  it('counts the pods that a node has received meanwhile', () => {
    const filled = (node: ExistingNode) => (node.name === 'c' ? node.free.map((amount) => amount / 100) : node.free);

    expect(names(sortByFillOrder(existingNodes, filled, problem))).toEqual(['c', 'b', 'a', 'joining']);
  });

  it('holds for nodes that are not those of the snapshot', () => {
    const replaced = existingNodes.map((node) =>
      node.name === 'a' ? { ...node, free: node.free.map((amount) => amount / 100) } : node,
    );

    expect(names(sortByFillOrder(replaced, findFree, problem))).toEqual(['a', 'b', 'c', 'joining']);
  });

  it('is computed once for all classes of a snapshot', () => {
    let reads = 0;
    const counted = existingNodes.map(
      (node): ExistingNode => ({
        ...node,
        get allocatable() {
          reads += 1;
          return node.allocatable;
        },
      }),
    );
    const again = { ...problem, existingNodes: counted, runningNodes: counted };
    sortByFillOrder(counted, findFree, again);
    reads = 0;

    sortByFillOrder(counted.slice(1), findFree, again);

    expect(reads).toBe(0);
  });
});
