import type { Placement } from '../../model/plans.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import type { ExistingNode } from '../../scheduling/input/existing-nodes.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import { createNodeRooms, type NodeRooms } from '../../scheduling/removal/node-rooms.ts';
import { movePods, prepareRemovals, type RemovalState } from '../../scheduling/removal/removal-state.ts';

/** The remaining cluster that all candidates of one decision are evaluated against. */
export interface ConsolidationState extends RemovalState {
  /** Names of the nodes that stay, and may receive pods. */
  readonly stayingNodes: ReadonlySet<string>;
  /** Their free resources. */
  readonly rooms: NodeRooms;
  /** The state after nodes are removed and their pods are placed. */
  after(removedNodes: readonly string[], placements: readonly Placement[]): ConsolidationState;
}

/**
 * @param leaving - claims that running commands or off hours remove, tainted or not
 * @param mayReceive - by default every node that stays may receive pods
 */
export function createConsolidationState(
  problem: Problem,
  leaving: ReadonlySet<string>,
  mayReceive: (existingNode: ExistingNode) => boolean = () => true,
): ConsolidationState {
  const { problem: prepared, awaited } = prepareRemovals(problem);
  const staying = prepared.existingNodes.filter(
    (existingNode) =>
      !existingNode.leaving &&
      existingNode.initialized &&
      !leaving.has(existingNode.claim?.name ?? '') &&
      mayReceive(existingNode),
  );
  return toState({
    problem: prepared,
    awaited,
    stayingNodes: new Set(staying.map(({ name }) => name)),
    rooms: createNodeRooms(staying, prepared),
  });
}

type StateFacts = Omit<ConsolidationState, 'after'>;

const toState = (facts: StateFacts): ConsolidationState => ({
  ...facts,
  after: (removedNodes, placements) => toState(applyMove(facts, removedNodes, placements)),
});

function applyMove(facts: StateFacts, removedNodes: readonly string[], placements: readonly Placement[]): StateFacts {
  const removed = new Set(removedNodes);
  const { problem, awaited } = movePods(facts, removedNodes, placements);
  const targets = new Set(placements.map(({ target }) => target));
  const filled = problem.existingNodes.filter(({ name }) => targets.has(name));
  return {
    problem,
    awaited,
    stayingNodes: new Set([...facts.stayingNodes].filter((name) => !removed.has(name))),
    rooms: facts.rooms.after(
      new Map([
        ...removedNodes.map((name) => [name, undefined] as const),
        ...filled.map((node) => [node.name, node] as const),
      ]),
    ),
  };
}

/**
 * Returns the pods that the staying nodes have no free resources for. Each kind of pod is
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
 * Lists the staying nodes that have free resources for some of the pods. The others cannot take any
 * of them, whatever else moves.
 */
export const listReceivers = (pods: readonly Pod[], { rooms }: ConsolidationState): ReadonlySet<string> =>
  rooms.listNodes(new Set(pods.map(({ spec }) => spec)));
