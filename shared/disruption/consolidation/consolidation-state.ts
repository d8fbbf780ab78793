import { getOrCreate } from '../../model/memo.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import {
  countRoom,
  type NodeRoom,
  prepareRemovals,
  type RemovalState,
} from '../../scheduling/simulate-removal.ts';
import { isWithinConsolidateAfter } from '../candidates.ts';

/** What all candidates of one round are held against. */
export interface ConsolidationState extends RemovalState {
  /** Names of nodes that may take pods from others: settled ones, not being watched themselves. */
  readonly receivers: ReadonlySet<string>;
  /** The same, with those that are being watched. */
  readonly stayingNodes: ReadonlySet<string>;
  /** How many pods of one kind the receivers have free resources for, by name of the bin. */
  roomFor(spec: PodSpec): NodeRoom;
}

/** @param busy - claims of commands under way: they are about to go, tainted or not */
export function createConsolidationState(
  problem: Problem,
  pools: ReadonlyMap<string, NodePool>,
  busy: ReadonlySet<string>,
): ConsolidationState {
  const { problem: stayingNodes, awaited } = prepareRemovals(problem);
  const { takenAt } = problem.snapshot;
  const staying = stayingNodes.existingNodes.filter(
    (bin) => !bin.leaving && bin.initialized && !busy.has(bin.claim?.name ?? ''),
  );
  const receivers = staying.filter((bin) => !isWithinConsolidateAfter(bin, pools, takenAt));
  const rooms = new Map<PodSpec, NodeRoom>();
  return {
    problem: stayingNodes,
    awaited,
    receivers: new Set(receivers.map(({ name }) => name)),
    stayingNodes: new Set(staying.map(({ name }) => name)),
    roomFor(spec) {
      return getOrCreate(rooms, spec, () => countRoom(spec, receivers, stayingNodes));
    },
  };
}

/**
 * The pods of bins that the other receivers have no free resources for, each kind counted as if
 * it came alone: a quick no. In a cluster that is packed well it answers for most nodes.
 */
export function listPodsWithoutRoom(
  pods: readonly Pod[],
  removedNodes: readonly string[],
  state: ConsolidationState,
): Pod[] {
  const remainingRoom = new Map<PodSpec, number>();
  return pods.filter(({ spec }) => {
    let room = remainingRoom.get(spec);
    if (room === undefined) {
      const { total, byNode } = state.roomFor(spec);
      room = removedNodes.reduce((rest, name) => rest - (byNode.get(name) ?? 0), total);
    }
    remainingRoom.set(spec, room - 1);
    return room <= 0;
  });
}
