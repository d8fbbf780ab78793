import { getOrCreate } from '../../model/memo.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Placement } from '../../model/plans.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import { countRoom, type NodeRoom } from '../../scheduling/removal/necessary-conditions.ts';
import {
  movePods,
  prepareRemovals,
  type RemovalState,
} from '../../scheduling/removal/removal-state.ts';
import { isWithinConsolidateAfter } from '../candidates.ts';

/** The remaining cluster that all candidates of one decision are evaluated against. */
export interface ConsolidationState extends RemovalState {
  /** Names of nodes that may receive pods: staying nodes outside their consolidateAfter window. */
  readonly receivers: ReadonlySet<string>;
  /** Names of all staying nodes. */
  readonly stayingNodes: ReadonlySet<string>;
  /** Number of pods with this spec that the receivers have free resources for. */
  roomFor(spec: PodSpec): NodeRoom;
  /** The state after nodes are removed and their pods are placed. */
  after(removedNodes: readonly string[], placements: readonly Placement[]): ConsolidationState;
}

/**
 * @param busy - claims that running commands remove, tainted or not
 */
export function createConsolidationState(
  problem: Problem,
  pools: ReadonlyMap<string, NodePool>,
  busy: ReadonlySet<string>,
  receiving: 'all' | 'outside-consolidate-after' = 'outside-consolidate-after',
): ConsolidationState {
  const { problem: stayingNodes, awaited } = prepareRemovals(problem);
  const { takenAt } = problem.snapshot;
  const staying = stayingNodes.existingNodes.filter(
    (existingNode) =>
      !existingNode.leaving &&
      existingNode.initialized &&
      !busy.has(existingNode.claim?.name ?? ''),
  );
  const receivers = staying.filter(
    (existingNode) =>
      receiving === 'all' || !isWithinConsolidateAfter(existingNode, pools, takenAt),
  );
  return toState({
    problem: stayingNodes,
    awaited,
    receivers: new Set(receivers.map(({ name }) => name)),
    stayingNodes: new Set(staying.map(({ name }) => name)),
  });
}

type StateFacts = Omit<ConsolidationState, 'roomFor' | 'after'>;

function toState(facts: StateFacts): ConsolidationState {
  const { problem, receivers } = facts;
  const rooms = new Map<PodSpec, NodeRoom>();
  const receivingNodes = problem.existingNodes.filter(({ name }) => receivers.has(name));
  return {
    ...facts,
    roomFor: (spec) => getOrCreate(rooms, spec, () => countRoom(spec, receivingNodes, problem)),
    after: (removedNodes, placements) => toState(applyMove(facts, removedNodes, placements)),
  };
}

function applyMove(
  facts: StateFacts,
  removedNodes: readonly string[],
  placements: readonly Placement[],
): StateFacts {
  const removed = new Set(removedNodes);
  const without = (names: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...names].filter((name) => !removed.has(name)));
  return {
    problem: movePods(facts.problem, removedNodes, placements),
    awaited: new Map([...facts.awaited].filter(([name]) => !removed.has(name))),
    receivers: without(facts.receivers),
    stayingNodes: without(facts.stayingNodes),
  };
}

/**
 * Returns the pods that the remaining receivers have no free resources for. Each kind of pod is
 * counted as if it came alone, which is a necessary condition for removal.
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
      room = removedNodes.reduce((free, name) => free - (byNode.get(name) ?? 0), total);
    }
    remainingRoom.set(spec, room - 1);
    return room <= 0;
  });
}

/**
 * Lists the receivers that have free resources for some of the pods. The others cannot take any of
 * them, whatever else moves.
 */
export function listReceivers(
  pods: readonly Pod[],
  state: ConsolidationState,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const spec of new Set(pods.map((pod) => pod.spec)))
    for (const name of state.roomFor(spec).byNode.keys()) names.add(name);
  return names;
}
