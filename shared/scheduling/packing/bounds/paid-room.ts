import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import { hasBit, listBits } from '../../data-structures/bitset.ts';
import { addTimes, at, countFits, type Vector } from '../../data-structures/resource-vectors.ts';
import { admits, type ExistingNode } from '../../input/existing-nodes.ts';
import type { Problem } from '../../input/problem.ts';
import type { PodKind } from './pod-kinds.ts';

/** Room that costs nothing: on existing nodes, on claims under way, and in reservations. */
export interface PaidRoom {
  /** Sum of the room of all its nodes. */
  readonly room: Vector;
  readonly nodes: number;
  isFor(kind: PodKind): boolean;
}

export const listPaidRooms = (problem: Problem): PaidRoom[] => [
  ...listExistingRooms(problem),
  ...listReservedRooms(problem),
];

/** Groups the nodes that differ only in their name, as far as pods can require. */
function listExistingRooms({ existingNodes }: Problem): PaidRoom[] {
  const staying = existingNodes.filter(({ leaving }) => !leaving);
  return [...Map.groupBy(staying, getKind).values()].flatMap((nodes): PaidRoom[] => {
    const [first] = nodes;
    if (!first) return [];
    const room = new Float64Array(first.free.length);
    const largest = new Float64Array(first.free.length);
    for (const { free } of nodes) {
      for (let column = 0; column < room.length; column++) {
        // A node with negative room takes nothing from the others.
        room[column] = at(room, column) + Math.max(0, at(free, column));
        largest[column] = Math.max(at(largest, column), at(free, column));
      }
    }
    const isFor = (kind: PodKind) => countFits(kind.minRequest, largest) > 0 && suits(first, kind);
    return [{ room, nodes: nodes.length, isFor }];
  });
}

// A node stays the same object between decisions, and its label text is long.
const kinds = new WeakMap<ExistingNode, string>();

/** Free room is rounded to powers of two: a few large gaps hold other pods than many small ones. */
function getKind(node: ExistingNode): string {
  let kind = kinds.get(node);
  if (kind === undefined) {
    const labels = Object.entries(node.labels).filter(([key]) => key !== HOSTNAME_LABEL);
    const sizes = [0, 1].map((column) => Math.floor(2 * Math.log2(at(node.free, column))));
    kind = `${labels.join(';')} ${JSON.stringify(node.taints)} ${sizes.join()}`;
    kinds.set(node, kind);
  }
  return kind;
}

const suits = (node: ExistingNode, { relaxations }: PodKind): boolean =>
  relaxations.some(({ tolerations, requirements }) => {
    // A pod that requires a hostname may find it among these nodes.
    const anyHost = new Map(requirements);
    anyHost.delete(HOSTNAME_LABEL);
    return admits(node, { tolerations, requirements: anyHost });
  });

/**
 * The free instances of each reservation, and what each commitment could hold at most. Its types share its
 * units, so that no resource has more room than in the type with most of it.
 */
function listReservedRooms({ reservations, typeIndex }: Problem): PaidRoom[] {
  if (!reservations) return [];
  const rooms = listBits(reservations.types).flatMap((type): ReservedRoom[] => {
    const nodes = (reservations.free.get(reservations.idOf(type)) ?? 0) / reservations.unitsOf(type);
    if (nodes <= 0) return [];
    const room = new Float64Array(typeIndex.columns.names.length);
    addTimes(room, typeIndex.allocatable[type] ?? room, nodes);
    const isFor = ({ accesses }: PodKind) => accesses.some(({ allowed }) => hasBit(allowed, type));
    return [{ type, room, nodes, isFor }];
  });
  const [committed, reserved] = [true, false].map((isCommitted) =>
    rooms.filter(({ type }) => hasBit(reservations.committed, type) === isCommitted),
  );
  const byCommitment = Map.groupBy(committed ?? [], ({ type }) => reservations.idOf(type));
  return [...(reserved ?? []), ...[...byCommitment.values()].map(takeLargest)];
}

interface ReservedRoom extends PaidRoom {
  readonly type: number;
}

const takeLargest = (rooms: readonly ReservedRoom[]): PaidRoom => ({
  room: rooms.map(({ room }) => room).reduce((a, b) => a.map((amount, column) => Math.max(amount, at(b, column)))),
  nodes: Math.max(...rooms.map(({ nodes }) => nodes)),
  isFor: (kind) => rooms.some(({ isFor }) => isFor(kind)),
});
