import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import { type Labels, RESERVATION_ID_LABEL } from '../model/labels.ts';
import { getOrCreate } from '../model/memo.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { ownValue } from '../model/own-value.ts';
import type { DisruptionPlan, Placement, PlannedClaim, ProvisioningPlan } from '../model/plans.ts';
import { type Pod, type PodKey, type PodSpec, podKey } from '../model/pods/pod.ts';
import { type AssignedBatch, assignBatch } from './assignment/assign-batch.ts';
import { withHeadroom, withoutHeadroom } from './assignment/buffer-headroom.ts';
import { listUnpinnedOptions } from './assignment/pod-groups.ts';
import { createDeferredEntry, createPlan } from './create-plan.ts';
import { hasBit } from './data-structures/bitset.ts';
import {
  addTimes,
  at,
  countFits,
  hasRoom,
  listRequestedColumns,
  toVector,
} from './data-structures/resource-vectors.ts';
import { explainPoolRefusals } from './explanation/pool-refusals.ts';
import { admits, type ExistingNode } from './input/existing-nodes.ts';
import { keepExpectedPods } from './input/expected-pods.ts';
import { selectFairShare } from './input/fair-share.ts';
import { listPodsToMove, listPodsToPlace } from './input/plan-batch.ts';
import { type Problem, prepare, withoutNode } from './input/problem.ts';
import { WORK_LIMITS } from './input/work-limits.ts';
import type { OfferingIndex, OfferingScope } from './instance-types/offering-index.ts';
import {
  allowsSpot,
  type RemovedNode,
  restrictToCheaperSpot,
  restrictToCheaperTypes,
  SPOT_TYPES_NEEDED,
} from './packing/new-nodes/cheaper-node.ts';
import { findCheapestType, type NewNode } from './packing/new-nodes/new-node.ts';
import { packOntoOneNode } from './packing/new-nodes/single-node.ts';
import { listAnticipatedPods } from './pods/anticipated-pods.ts';
import { createPodTaker } from './pods/pod-classes.ts';
import { createTooMuchWorkReason, findExcess } from './pods/pod-complexity.ts';
import { listFullyRelaxed, listRelaxations } from './pods/relaxations.ts';
import { type Solution, solve } from './search/solve.ts';

/**
 * The facade of scheduling for `shared/disruption`: can the pods of these nodes live without them,
 * or on cheaper ones? Disruption imports this file, `open-launches.ts`, `static-claims.ts` and the types `Problem` and `ExistingNode`.
 *
 * 1. `planKeepingHeadroom` adds buffer pods to the snapshot; `prepareRemovals` takes the room that
 * waiting pods are about to use.
 * 2. `countRoom`, `findCheapestReplacement` and `canOnlyRunOnSpot` are cheap necessary conditions.
 * 3. `simulateRemoval` packs the pods of nodes that would be removed; `planWithoutNode` does so at
 * any price.
 */
export interface RemovalState {
  readonly problem: Problem;
  /** Pods that do not run yet but have no other place, by the name of the node that waits for them. */
  readonly awaited: ReadonlyMap<string, readonly Pod[]>;
}

/**
 * Plans with the room of CapacityBuffers taken, and removes buffer pods from the resulting plan.
 */
export function planKeepingHeadroom(
  snapshot: ClusterSnapshot,
  plan: (snapshot: ClusterSnapshot) => DisruptionPlan,
): DisruptionPlan {
  const full = withHeadroom(snapshot);
  return full === snapshot ? plan(full) : withoutHeadroom(plan(full), full);
}

export const prepareCluster = (snapshot: ClusterSnapshot): Problem => prepare(snapshot);

/**
 * Takes the room that pending pods, pods still to be created and pods of leaving nodes are about to
 * use: a node that looks half empty may be needed by them.
 */
export function prepareRemovals(problem: Problem): RemovalState {
  const batch = [...listPodsToPlace(problem), ...listAnticipatedPods(problem.snapshot)];
  if (batch.length === 0) return { problem, awaited: new Map() };
  const expected = keepExpectedPods(problem, batch);
  const { placed } = assignWithinLimit(expected.problem, expected.remaining);
  const byKey = new Map(batch.map((pod) => [podKey(pod), pod]));
  const take = createPodTaker();
  const toPods = (keys: readonly PodKey[]): Pod[] => keys.flatMap((key) => byKey.get(key) ?? []);
  const awaited = new Map(expected.placements.map(({ target, pods }) => [target, toPods(pods)]));
  const nodes = expected.problem.existingNodes.map((node) => {
    const here = placed.get(node);
    if (!here) return node;
    const free = node.free.slice();
    for (const [{ spec }, count] of here) {
      addTimes(free, toVector(problem.columns, spec.requests), -count);
    }
    const keys = [...here].flatMap(([cls, count]) => take(cls, count));
    awaited.set(node.name, [...(awaited.get(node.name) ?? []), ...toPods(keys)]);
    return { ...node, free };
  });
  return { problem: { ...expected.problem, existingNodes: nodes }, awaited };
}

/** Parts of the waiting pods whose places are computed, if all of them are too much work. */
const WAITING_SHARES = [1, 1 / 16, 1 / 256] as const;

/** Assigns the waiting pods, or as many of them as the work limit allows. */
function assignWithinLimit(
  problem: Problem,
  waiting: readonly Pod[],
): Pick<AssignedBatch, 'placed'> {
  const { work, measuredWork, snapshot } = problem;
  for (const share of WAITING_SHARES) {
    const pods =
      share === 1 ? waiting : selectFairShare(waiting, share, measuredWork, snapshot.takenAt).pods;
    const assigned = work.tryWithin(WORK_LIMITS.waitingPods, () => assignBatch(problem, pods));
    if (assigned) return assigned;
  }
  return { placed: new Map() };
}

/**
 * The problem after nodes are removed and their pods run where they are placed. Pods that move to
 * new nodes are left out: these nodes take no further pods.
 */
export function movePods(
  problem: Problem,
  removedNodes: readonly string[],
  placements: readonly Placement[],
): Problem {
  const removed = new Set(removedNodes);
  const moving = new Map(
    problem.existingNodes
      .filter(({ name }) => removed.has(name))
      .flatMap(({ pods }) => pods.map((pod) => [podKey(pod), pod] as const)),
  );
  const podsOf = new Map(placements.map(({ target, pods }) => [target, pods]));
  const reduced = removedNodes.reduce(withoutNode, problem);
  const existingNodes = reduced.existingNodes.map((node) => {
    const arriving = (podsOf.get(node.name) ?? []).flatMap((key) => moving.get(key) ?? []);
    return arriving.length === 0 ? node : withPods(node, arriving, problem);
  });
  return { ...reduced, existingNodes, runningNodes: existingNodes };
}

function withPods(
  node: ExistingNode,
  arriving: readonly Pod[],
  { columns }: Problem,
): ExistingNode {
  const free = node.free.slice();
  for (const { spec } of arriving) addTimes(free, toVector(columns, spec.requests), -1);
  return {
    ...node,
    free,
    pods: [...node.pods, ...arriving.map((pod) => ({ ...pod, nodeName: node.name }))],
    hostPorts: [...node.hostPorts, ...arriving.flatMap(({ spec }) => spec.hostPorts)],
  };
}

/**
 * Lists the pods that need another place once a node is removed: its own, and those that wait for
 * it.
 */
export const listDisplacedPods = (
  node: ExistingNode,
  { problem, awaited }: RemovalState,
): Pod[] => [...listPodsToMove(node, problem), ...(awaited.get(node.name) ?? [])];

/** The number of pods of one kind that nodes have free resources for. */
export interface NodeRoom {
  readonly total: number;
  readonly byNode: ReadonlyMap<string, number>;
}

export function countRoom(
  spec: PodSpec,
  receivers: readonly ExistingNode[],
  { columns }: Problem,
): NodeRoom {
  const request = toVector(columns, spec.requests);
  const relaxations = findExcess(spec) ? [] : listFullyRelaxed(spec);
  const byNode = new Map<string, number>();
  let total = 0;
  for (const node of receivers) {
    const pods = countFits(request, node.free);
    if (pods === 0 || !relaxations.some((relaxation) => admits(node, relaxation))) continue;
    byNode.set(node.name, pods);
    total += pods;
  }
  return { total, byNode };
}

/** The share of CPU or memory, whichever is larger, that pods request: 0 to 1. */
export function computeUsedShare(
  { free, allocatable }: ExistingNode,
  { columns }: Problem,
): number {
  const shares = ['cpu', 'memory'].map((name) => {
    const column = columns.names.indexOf(name);
    const size = at(allocatable, column);
    return size > 0 ? 1 - at(free, column) / size : 0;
  });
  return Math.min(1, Math.max(0, ...shares));
}

/**
 * Finds the cheapest node with room for all of `pods` that the first of them may run on, ignoring
 * their other rules: no replacement can cost less.
 *
 * @param enoughUsd - the search ends at the first pool that has a node for less
 * @returns a price of `Infinity` if there is no such node
 */
export function findCheapestReplacement(
  pods: readonly Pod[],
  enoughUsd: number,
  problem: Problem,
): { readonly type: string; readonly hourlyUsd: number } {
  const total = new Float64Array(problem.columns.names.length);
  for (const { spec } of pods) addTimes(total, toVector(problem.columns, spec.requests), 1);
  const requestedColumns = listRequestedColumns(total);
  let cheapest = { type: '', hourlyUsd: Infinity };
  for (const { types, where } of pods[0] ? listOptions(pods[0], problem) : []) {
    for (const { type, hourlyUsd, allocatable } of listTypesByPrice(where, problem)) {
      if (hourlyUsd >= cheapest.hourlyUsd) break;
      if (!hasRoom(allocatable, total, requestedColumns) || !hasBit(types, type)) continue;
      cheapest = { type: problem.typeIndex.types[type]?.name ?? '', hourlyUsd };
      break;
    }
    if (cheapest.hourlyUsd < enoughUsd) break;
  }
  return cheapest;
}

/** True if every node that the pools could launch for the pods may be a spot instance. */
export const canOnlyRunOnSpot = (pods: readonly Pod[], problem: Problem): boolean =>
  pods.every((pod) => listOptions(pod, problem).every(allowsSpot));

const listOptions = ({ spec }: Pod, problem: Problem) =>
  (findExcess(spec) ? [] : listRelaxations(spec)).flatMap((relaxation) =>
    listUnpinnedOptions(spec, relaxation, problem),
  );

interface PricedType {
  readonly type: number;
  readonly hourlyUsd: number;
  readonly allocatable: Float64Array;
}

// Prices change every few minutes; decisions are made more often.
const typesByPrice = new WeakMap<OfferingIndex, Map<number, readonly PricedType[]>>();

function listTypesByPrice(
  where: OfferingScope,
  { offerings, typeIndex }: Problem,
): readonly PricedType[] {
  const byScope = getOrCreate(typesByPrice, offerings, () => new Map());
  const key = where.zones * 8 + where.capacityTypes;
  return getOrCreate(byScope, key, () =>
    typeIndex.allocatable
      .map((allocatable, type) => ({
        type,
        hourlyUsd: offerings.cheapestUsd(type, where),
        allocatable,
      }))
      .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
      .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd),
  );
}

/** Nodes that would be removed together, and the conditions of a replacement. */
export interface Removal {
  readonly nodes: readonly RemovedNode[];
  /** Pods that need a place once the nodes are gone. */
  readonly pods: readonly Pod[];
  /** Names of the nodes that may take them. */
  readonly mayReceive: ReadonlySet<string>;
  readonly mayLaunch: boolean;
  readonly maySpotReplaceSpot: boolean;
  /** Id of the decision; the replacement is named after it. */
  readonly decision: string;
}

export type RemovalOutcome =
  | { readonly outcome: 'pods-fit'; readonly placements: readonly Placement[] }
  | {
      readonly outcome: 'replaced';
      readonly claims: readonly PlannedClaim[];
      readonly cheapest: PlannedClaim['cheapest'];
      readonly placements: readonly Placement[];
    }
  | {
      readonly outcome: 'pods-left';
      readonly count: number;
      readonly first?: PodKey;
      /** Why the first of them finds no new node; only if `mayLaunch`. */
      readonly reason?: Reason;
    }
  | { readonly outcome: 'spot-for-spot' }
  | {
      readonly outcome: 'too-few-spot-types';
      readonly replacement: number;
      readonly needed: number;
    }
  | {
      readonly outcome: 'not-cheaper';
      /** The best replacement, or why there is none; its price is `Infinity` then. */
      readonly best: string;
      readonly hourlyUsd: number;
    };

/**
 * Packs the pods of nodes that would be removed: onto nodes that stay, or onto those and one new
 * node that costs less than the removed nodes together.
 */
export function simulateRemoval(removal: Removal, state: RemovalState): RemovalOutcome {
  const { work } = state.problem;
  const limit = Math.min(WORK_LIMITS.removal, WORK_LIMITS.allRemovals - work.spent());
  const [first] = removal.pods;
  return (
    work.tryOptional(limit, () => packRemoval(removal, state)) ?? {
      outcome: 'pods-left',
      count: removal.pods.length,
      ...(first && { first: podKey(first) }),
      reason: limit < WORK_LIMITS.removal ? TOO_MANY_REMOVALS : TOO_LONG_TO_MOVE,
    }
  );
}

const TOO_LONG_TO_MOVE = createTooMuchWorkReason(
  'operations to move its pods',
  WORK_LIMITS.removal,
);
const TOO_MANY_REMOVALS = createTooMuchWorkReason(
  'operations with the other nodes of this plan',
  WORK_LIMITS.allRemovals,
);

function packRemoval(removal: Removal, { problem }: RemovalState): RemovalOutcome {
  const { nodes, pods, mayReceive, mayLaunch, decision } = removal;
  const assigned = assignBatch(problem, pods, {
    without: nodes.map(({ name }) => name),
    mayReceive: ({ name }) => mayReceive.has(name),
    mayLaunch,
  });
  if (assigned.unassigned.size > 0) return podsLeft(assigned, mayLaunch);
  if (assigned.podGroups.length === 0) {
    const { placements } = createPlan(assigned.problem, pods, toSolution(assigned, []), decision);
    return { outcome: 'pods-fit', placements };
  }
  const newNode = packOntoOneNode(assigned.problem, assigned.podGroups);
  if (!newNode) return { outcome: 'not-cheaper', best: 'more than one node', hourlyUsd: Infinity };
  const cheaper = restrictToCheaper(newNode, removal, problem);
  return 'outcome' in cheaper ? cheaper : replaceBy(cheaper, removal, assigned);
}

function podsLeft(
  { unassigned, topology, problem }: AssignedBatch,
  mayLaunch: boolean,
): RemovalOutcome {
  const [cls] = unassigned.keys();
  const count = [...unassigned.values()].reduce((total, pods) => total + pods, 0);
  const first = cls?.pods[0];
  const reason = cls && mayLaunch && explainPoolRefusals(cls, topology, problem)[0]?.reasons[0];
  return { outcome: 'pods-left', count, ...(first && { first }), ...(reason && { reason }) };
}

/** Restricts the new node to the types that save money, or tells why there are none. */
function restrictToCheaper(
  newNode: NewNode,
  { nodes, maySpotReplaceSpot }: Removal,
  problem: Problem,
): NewNode | RemovalOutcome {
  if (nodes.every(({ isSpot }) => isSpot) && allowsSpot(newNode)) {
    if (!maySpotReplaceSpot) return { outcome: 'spot-for-spot' };
    const cheaperSpot = restrictToCheaperSpot(nodes, newNode, problem);
    if (cheaperSpot.outcome === 'replaced') return cheaperSpot.newNode;
    if (cheaperSpot.outcome === 'too-few') {
      return {
        outcome: 'too-few-spot-types',
        replacement: cheaperSpot.replacement,
        needed: SPOT_TYPES_NEEDED,
      };
    }
  } else {
    const cheaper = restrictToCheaperTypes(nodes, newNode, problem);
    if (cheaper) return cheaper;
  }
  const { type, hourlyUsd } = findCheapestType(newNode, problem);
  return { outcome: 'not-cheaper', best: problem.typeIndex.types[type]?.name ?? '', hourlyUsd };
}

function replaceBy(
  newNode: NewNode,
  { pods, decision }: Removal,
  assigned: AssignedBatch,
): RemovalOutcome {
  const plan = createPlan(assigned.problem, pods, toSolution(assigned, [newNode]), decision);
  const { claims, placements } = plan;
  const [claim] = claims;
  if (!claim) return { outcome: 'not-cheaper', best: 'none on offer', hourlyUsd: Infinity };
  return { outcome: 'replaced', claims, cheapest: claim.cheapest, placements };
}

const toSolution = (
  { placed, topology }: AssignedBatch,
  newNodes: readonly NewNode[],
): Solution => ({
  placed,
  newNodes,
  unplaced: new Map(),
  costUsd: 0,
  topology,
});

/**
 * Plans the pods of a node that is removed at any price: onto nodes that stay and as many new nodes
 * as they need.
 *
 * @param receivers - predicates of nodes that may take pods; the second is used only if the first
 *   leaves pods
 */
export function planWithoutNode(
  node: ExistingNode,
  pods: readonly Pod[],
  { problem }: RemovalState,
  receivers: readonly [(node: ExistingNode) => boolean, (node: ExistingNode) => boolean],
  decision: string,
): ProvisioningPlan {
  const [preferred, all] = receivers;
  const solveWith = (mayReceive: (node: ExistingNode) => boolean): Solution =>
    solve(problem, pods, { without: [node.name], mayReceive });
  const plan = problem.work.tryWithin(WORK_LIMITS.attempt, () => {
    const first = solveWith(preferred);
    const solution = first.unplaced.size === 0 ? first : solveWith(all);
    return createPlan(problem, pods, solution, decision);
  });
  if (plan) return plan;
  const unplaced = [createDeferredEntry(pods.map(podKey), problem.snapshot)];
  return { claims: [], placements: [], unplaced, hourlyUsd: 0 };
}

/** The list price of the claim's instance, in USD per hour; 0 if the catalogue does not know it. */
export function findHourlyUsd(claim: NodeClaim, problem: Problem): number {
  const { launch } = claim;
  const type = findType(claim, problem);
  if (!launch || type === undefined) return 0;
  return problem.offerings.listedUsd(type, launch.zone, launch.capacityType) ?? 0;
}

/** Labels of the claim's instance type; `undefined` if the catalogue does not know it. */
export function findTypeLabels(claim: NodeClaim, problem: Problem): Labels | undefined {
  const type = findType(claim, problem);
  return type === undefined ? undefined : (problem.typeIndex.types[type]?.labels ?? {});
}

/**
 * Finds the type number of a claim. A type has several numbers if an overlay changes it for some
 * pools or if it has a reservation; the number of the claim's pool and reservation is preferred.
 */
function findType(
  { pool, launch }: NodeClaim,
  { typeIndex, snapshot }: Problem,
): number | undefined {
  const own = typeIndex.ofList(ownValue(snapshot.instanceTypes, pool) ?? []);
  const reservation = launch?.labels[RESERVATION_ID_LABEL];
  const numbers = typeIndex.numbersOf.get(launch?.instanceType ?? '') ?? [];
  const ofPool = numbers.filter((number) => hasBit(own, number));
  const exact = ofPool.find((number) => typeIndex.types[number]?.reservation === reservation);
  return exact ?? ofPool[0] ?? numbers[0];
}
