import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Placement } from '../../model/plans.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import { createNodeRooms, type NodeRooms } from '../../scheduling/removal/node-rooms.ts';
import {
  movePods,
  prepareRemovals,
  type RemovalState,
} from '../../scheduling/removal/removal-state.ts';
import { isWithinConsolidateAfter } from '../obstacles.ts';

/** The remaining cluster that all candidates of one decision are evaluated against. */
export interface ConsolidationState extends RemovalState {
  /** Names of nodes that may receive pods: staying nodes outside their consolidateAfter window. */
  readonly receivers: ReadonlySet<string>;
  /** Names of all staying nodes. */
  readonly stayingNodes: ReadonlySet<string>;
  /** The free resources of the receivers. */
  readonly rooms: NodeRooms;
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
  const { problem: prepared, awaited } = prepareRemovals(problem);
  const { takenAt } = problem.snapshot;
  const staying = prepared.existingNodes.filter(
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
    problem: prepared,
    awaited,
    receivers: new Set(receivers.map(({ name }) => name)),
    stayingNodes: new Set(staying.map(({ name }) => name)),
    rooms: createNodeRooms(receivers, prepared),
  });
}

type StateFacts = Omit<ConsolidationState, 'after'>;

const toState = (facts: StateFacts): ConsolidationState => ({
  ...facts,
  after: (removedNodes, placements) => toState(applyMove(facts, removedNodes, placements)),
});

function applyMove(
  facts: StateFacts,
  removedNodes: readonly string[],
  placements: readonly Placement[],
): StateFacts {
  const removed = new Set(removedNodes);
  const without = (names: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...names].filter((name) => !removed.has(name)));
  const { problem, awaited } = movePods(facts, removedNodes, placements);
  const targets = new Set(placements.map(({ target }) => target));
  const filled = problem.existingNodes.filter(({ name }) => targets.has(name));
  return {
    problem,
    awaited,
    receivers: without(facts.receivers),
    stayingNodes: without(facts.stayingNodes),
    rooms: facts.rooms.after(
      new Map([
        ...removedNodes.map((name) => [name, undefined] as const),
        ...filled.map((node) => [node.name, node] as const),
      ]),
    ),
  };
}

/**
 * Returns the pods that the remaining receivers have no free resources for. Each kind of pod is
 * counted as if it came alone, which is a necessary condition for removal.
 */
export function listPodsWithoutRoom(
  pods: readonly Pod[],
  removedNodes: readonly string[],
  { rooms }: ConsolidationState,
): Pod[] {
  const remainingRoom = new Map<PodSpec, number>();
  return pods.filter(({ spec }) => {
    const room = remainingRoom.get(spec) ?? rooms.totalWithout(removedNodes, spec);
    remainingRoom.set(spec, room - 1);
    return room <= 0;
  });
}

/**
 * Lists the receivers that have free resources for some of the pods. The others cannot take any of
 * them, whatever else moves.
 */
export const listReceivers = (
  pods: readonly Pod[],
  { rooms }: ConsolidationState,
): ReadonlySet<string> => rooms.listNodes(new Set(pods.map(({ spec }) => spec)));
