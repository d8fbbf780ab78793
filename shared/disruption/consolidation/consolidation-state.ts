import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import {
  countRoom,
  type NodeRoom,
  prepareRemovals,
  type RemovalState,
} from '../../scheduling/simulate-removal.ts';
import { isInsideWindow } from '../candidates.ts';

/** What all candidates of one round are held against. */
export interface Outlook extends RemovalState {
  /** Names of nodes that may take pods from others: settled ones, not being watched themselves. */
  readonly mayReceive: ReadonlySet<string>;
  /** The same, with those that are being watched. */
  readonly settled: ReadonlySet<string>;
  /** How many pods of one kind the receivers have free resources for, by name of the bin. */
  roomFor(spec: PodSpec): NodeRoom;
}

/** @param busy - claims of commands under way: they are about to go, tainted or not */
export function outlookOf(
  problem: Problem,
  pools: ReadonlyMap<string, NodePool>,
  busy: ReadonlySet<string>,
): Outlook {
  const { problem: settled, awaited } = prepareRemovals(problem);
  const { takenAt } = problem.snapshot;
  const staying = settled.bins.filter(
    (bin) => !bin.leaving && bin.initialized && !busy.has(bin.claim?.name ?? ''),
  );
  const receivers = staying.filter((bin) => !isInsideWindow(bin, pools, takenAt));
  const rooms = new Map<PodSpec, NodeRoom>();
  return {
    problem: settled,
    awaited,
    mayReceive: new Set(receivers.map(({ name }) => name)),
    settled: new Set(staying.map(({ name }) => name)),
    roomFor(spec) {
      const room = rooms.get(spec) ?? countRoom(spec, receivers, settled);
      rooms.set(spec, room);
      return room;
    },
  };
}

/**
 * The pods of bins that the other receivers have no free resources for, each kind counted as if
 * it came alone: a quick no. In a cluster that is packed well it answers for most nodes.
 */
export function withoutRoom(
  pods: readonly Pod[],
  going: readonly string[],
  outlook: Outlook,
): Pod[] {
  const left = new Map<PodSpec, number>();
  return pods.filter(({ spec }) => {
    let room = left.get(spec);
    if (room === undefined) {
      const { total, byNode } = outlook.roomFor(spec);
      room = going.reduce((rest, name) => rest - (byNode.get(name) ?? 0), total);
    }
    left.set(spec, room - 1);
    return room <= 0;
  });
}
