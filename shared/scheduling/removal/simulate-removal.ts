import type { Reason } from '../../model/explanations/reasons.ts';
import type { Placement, PlannedClaim } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { type AssignedBatch, assignBatch } from '../assignment/assign-batch.ts';
import { createPlan } from '../create-plan.ts';
import { explainPoolRefusals } from '../explanation/pool-refusals.ts';
import type { Problem } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import {
  allowsSpot,
  type RemovedNode,
  restrictToCheaperSpot,
  restrictToCheaperTypes,
  SPOT_TYPES_NEEDED,
} from '../packing/new-nodes/cheaper-node.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';
import { packOntoOneNode } from '../packing/new-nodes/single-node.ts';
import { createTooMuchWorkReason } from '../pods/pod-complexity.ts';
import type { Solution } from '../search/solve.ts';
import type { RemovalState } from './removal-state.ts';
import { findWorstOrder } from './worst-order.ts';

/** Nodes that would be removed together, and the conditions of a replacement. */
export interface Removal {
  readonly nodes: readonly RemovedNode[];
  /** Pods that need a place once the nodes are gone. */
  readonly pods: readonly Pod[];
  /** Names of the nodes that may take them. */
  readonly mayReceive: ReadonlySet<string>;
  readonly mayLaunch: boolean;
  readonly maySpotReplaceSpot: boolean;
  /** The most that a replacement may cost, in USD per hour. */
  readonly maxReplacementUsd: number;
  /** Id of the decision; the replacement is named after it. */
  readonly decision: string;
}

/** A removal for whose pods there is room. */
type PossibleRemoval =
  | { readonly outcome: 'pods-fit'; readonly placements: readonly Placement[] }
  | {
      readonly outcome: 'replaced';
      readonly claims: readonly PlannedClaim[];
      readonly cheapest: PlannedClaim['cheapest'];
      readonly placements: readonly Placement[];
    };

export type RemovalOutcome =
  /** `relaunchUsd`: nodes for pods whose places other pods take, in the worst order. */
  | (PossibleRemoval & { readonly relaunchUsd: number })
  | {
      readonly outcome: 'pods-left';
      readonly count: number;
      readonly first?: PodKey;
      /** Why the first of them finds no new node; only if `mayLaunch`. */
      readonly reason?: Reason;
    }
  | {
      /** kube-scheduler may bind the pods so that a node for the others costs what the move saves. */
      readonly outcome: 'depends-on-order';
      readonly displaced: PodKey;
    }
  /** The replacement is cheaper, but costs more than `maxReplacementUsd`. */
  | { readonly outcome: 'too-expensive'; readonly hourlyUsd: number }
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

/**
 * Packs the pods onto nodes that stay, and one new node for the others. If pods of the move could take
 * the places of others, one node for all of them may save more in the worst order.
 */
function packRemoval(removal: Removal, state: RemovalState): RemovalOutcome {
  const shared = packOnto(removal.mayReceive, removal, state);
  if (!removal.mayLaunch || !dependsOnOrder(shared)) return shared;
  const apart = packOnto(NO_NODES, removal, state);
  return computeMinSaving(apart, removal) > computeMinSaving(shared, removal) ? apart : shared;
}

const NO_NODES: ReadonlySet<string> = new Set();

const dependsOnOrder = (outcome: RemovalOutcome): boolean =>
  outcome.outcome === 'depends-on-order' || ('relaunchUsd' in outcome && outcome.relaunchUsd > 0);

/** The saving in the worst order, in USD per hour; 0 if the removal is refused. */
const computeMinSaving = (outcome: RemovalOutcome, removal: Removal): number =>
  'relaunchUsd' in outcome ? computeSaving(outcome, removal) - outcome.relaunchUsd : 0;

function computeSaving(removable: PossibleRemoval, { nodes }: Removal): number {
  const launchedUsd = removable.outcome === 'replaced' ? removable.cheapest.hourlyUsd : 0;
  return nodes.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, -launchedUsd);
}

function packOnto(
  targets: ReadonlySet<string>,
  removal: Removal,
  { problem }: RemovalState,
): RemovalOutcome {
  const { nodes, pods, mayLaunch, decision } = removal;
  const assigned = assignBatch(problem, pods, {
    without: nodes.map(({ name }) => name),
    mayReceive: ({ name }) => targets.has(name),
    mayLaunch,
  });
  if (assigned.unassigned.size > 0) return podsLeft(assigned, mayLaunch);
  if (assigned.podGroups.length === 0) {
    const { placements } = createPlan(assigned.problem, pods, toSolution(assigned, []), decision);
    return withWorstOrder({ outcome: 'pods-fit', placements }, assigned, [], removal);
  }
  const newNode = packOntoOneNode(assigned.problem, assigned.podGroups);
  if (!newNode) return { outcome: 'not-cheaper', best: 'more than one node', hourlyUsd: Infinity };
  const cheaper = restrictToCheaper(newNode, removal, problem);
  if ('outcome' in cheaper) return cheaper;
  // Checked before the plan and its binding orders: both take longer than everything before them.
  const { hourlyUsd } = findCheapestType(cheaper, problem);
  if (hourlyUsd > removal.maxReplacementUsd) return { outcome: 'too-expensive', hourlyUsd };
  return replaceBy(cheaper, removal, assigned);
}

/** A removal that saves nothing in the worst order would be repeated for ever. */
function withWorstOrder(
  possible: PossibleRemoval,
  assigned: AssignedBatch,
  newNodes: readonly NewNode[],
  removal: Removal,
): RemovalOutcome {
  const savingUsd = computeSaving(possible, removal);
  const { relaunchUsd, displaced } = findWorstOrder(
    assigned,
    newNodes,
    ({ name }) => removal.mayReceive.has(name),
    savingUsd,
  );
  return displaced !== undefined && relaunchUsd >= savingUsd
    ? { outcome: 'depends-on-order', displaced }
    : { ...possible, relaunchUsd };
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

function replaceBy(newNode: NewNode, removal: Removal, assigned: AssignedBatch): RemovalOutcome {
  const { pods, decision } = removal;
  const plan = createPlan(assigned.problem, pods, toSolution(assigned, [newNode]), decision);
  const { claims, placements } = plan;
  const [claim] = claims;
  if (!claim) return { outcome: 'not-cheaper', best: 'none on offer', hourlyUsd: Infinity };
  const { cheapest } = claim;
  return withWorstOrder(
    { outcome: 'replaced', claims, cheapest, placements },
    assigned,
    [newNode],
    removal,
  );
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
