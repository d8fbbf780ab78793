import { getOrCreate, memoize } from '../../model/memo.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import {
  countFits,
  hasRoom,
  listRequestedColumns,
  type ResourceColumns,
  toVector,
} from '../data-structures/resource-vectors.ts';
import { admits, type ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';

/** Counts the pods that nodes have free resources for. Each kind of pod is counted as if it came alone. */
export interface NodeRooms {
  /** The pods with this spec that fit on all nodes together, except those with these names. */
  totalWithout(names: readonly string[], spec: PodSpec): number;
  /** Names of the nodes with room for a pod with one of these specs. */
  listNodes(specs: Iterable<PodSpec>): ReadonlySet<string>;
  /**
   * The rooms after some nodes have changed. Only these are counted again.
   *
   * @param changes - by name; `undefined` for nodes that are removed
   */
  after(changes: ReadonlyMap<string, ExistingNode | undefined>): NodeRooms;
}

export function createNodeRooms(nodes: readonly ExistingNode[], { columns }: Problem): NodeRooms {
  const positions = new Map(nodes.map(({ name }, position) => [name, position]));
  return toNodeRooms({ nodes, positions, columns }, new Map());
}

interface Receivers {
  /** `undefined` at the positions of removed nodes. */
  readonly nodes: readonly (ExistingNode | undefined)[];
  readonly positions: ReadonlyMap<string, number>;
  readonly columns: ResourceColumns;
}

/** The room for pods of one kind. */
interface KindRoom {
  readonly spec: PodSpec;
  readonly total: number;
  /** By position of the node. */
  readonly counts: Int32Array;
}

function toNodeRooms(receivers: Receivers, rooms: Map<string, KindRoom>): NodeRooms {
  const { nodes, positions } = receivers;
  const find = (spec: PodSpec): KindRoom =>
    getOrCreate(rooms, toKind(spec), () => {
      const counts = new Int32Array(nodes.length);
      return countAgain({ spec, total: 0, counts }, counts.keys(), receivers);
    });
  return {
    totalWithout(names, spec) {
      const { total, counts } = find(spec);
      return names.reduce((pods, name) => pods - (counts[positions.get(name) ?? -1] ?? 0), total);
    },
    listNodes: (specs) => listNodesWithRoom(new Set(Array.from(specs, find)), nodes),
    after(changes) {
      const changed = { ...receivers, nodes: nodes.slice() };
      const changedPositions: number[] = [];
      for (const [name, node] of changes) {
        const position = positions.get(name);
        if (position === undefined) continue;
        changed.nodes[position] = node;
        changedPositions.push(position);
      }
      const updated = [...rooms].map(([kind, { spec, total, counts }]) => {
        const copy = { spec, total, counts: counts.slice() };
        return [kind, countAgain(copy, changedPositions, changed)] as const;
      });
      return toNodeRooms(changed, new Map(updated));
    },
  };
}

/** Counts the room of the nodes at these positions again, in place. */
function countAgain(
  { spec, total, counts }: KindRoom,
  positions: Iterable<number>,
  { nodes, columns }: Receivers,
): KindRoom {
  const request = toVector(columns, spec.requests);
  const requestedColumns = listRequestedColumns(request);
  const relaxations = findExcess(spec) ? [] : listFullyRelaxed(spec);
  let sum = total;
  for (const position of positions) {
    const node = nodes[position];
    const takesPods =
      node &&
      hasRoom(node.free, request, requestedColumns) &&
      relaxations.some((relaxation) => admits(node, relaxation));
    const count = takesPods ? Math.min(MAX_PODS, countFits(request, node.free)) : 0;
    sum += count - (counts[position] ?? 0);
    counts[position] = count;
  }
  return { spec, total: sum, counts };
}

/** More pods than any node runs: a pod may request nothing. */
const MAX_PODS = 1e6;

function listNodesWithRoom(
  rooms: ReadonlySet<KindRoom>,
  nodes: readonly (ExistingNode | undefined)[],
): ReadonlySet<string> {
  const isListed = new Uint8Array(nodes.length);
  for (const { counts } of rooms)
    for (let position = 0; position < counts.length; position++)
      if ((counts[position] ?? 0) > 0) isListed[position] = 1;
  const names = new Set<string>();
  nodes.forEach((node, position) => {
    if (node && isListed[position]) names.add(node.name);
  });
  return names;
}

/** Pods of one kind find room on the same nodes: many workloads request the same and have no rules. */
const toKind = memoize((spec: PodSpec): string => {
  const { requests, tolerations, nodeSelector, requiredNodeTerms, resolved } = spec;
  return findExcess(spec)
    ? TOO_COMPLEX
    : JSON.stringify([requests, tolerations, nodeSelector, requiredNodeTerms, resolved]);
});

const TOO_COMPLEX = '';
