import type { Reason } from '../../model/explanations/reasons.ts';
import { ZONE_LABEL } from '../../model/labels.ts';
import type { Placement, PlannedClaim } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { type AssignedBatch, assignBatch, pinToZone } from '../assignment/assign-batch.ts';
import { createPlan } from '../create-plan.ts';
import { explainPoolRefusals } from '../explanation/pool-refusals.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { createTooMuchWorkReason } from '../pods/pod-complexity.ts';
import type { Solution } from '../search/solve.ts';
import { type BrokenShare, findBrokenShare, hasOnDemandShare, type SharedMove } from './broken-shares.ts';
import { findCheapestReplacement } from './necessary-conditions.ts';
import type { RemovalState } from './removal-state.ts';
import {
  findReplacements,
  passesOverHeavierPool,
  type RefusedReplacement,
  type ReplacementRules,
} from './replacements.ts';
import { findWorstOrder } from './worst-order.ts';

/** Nodes that would be removed together, and the conditions of a replacement. */
export interface Removal extends ReplacementRules {
  /** Pods that need a place once the nodes are gone. */
  readonly pods: readonly Pod[];
  /** Names of the nodes that may take them. */
  readonly mayReceive: ReadonlySet<string>;
  readonly mayLaunch: boolean;
  /** True if a smaller node may take all pods of a node, whatever topology they prefer. */
  readonly mayKeepTogether: boolean;
  /** Id of the decision; the replacements are named after it. */
  readonly decision: string;
}

/** A removal for whose pods there is room. */
type PossibleRemoval =
  | { readonly outcome: 'pods-fit'; readonly placements: readonly Placement[] }
  | {
      readonly outcome: 'replaced';
      readonly claims: readonly PlannedClaim[];
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
  | ({ readonly outcome: 'breaks-share' } & BrokenShare)
  | RefusedReplacement;

/**
 * Packs the pods of nodes that would be removed: onto nodes that stay, or onto those and
 * new nodes that cost less than the removed nodes together.
 */
export function simulateRemoval(removal: Removal, state: RemovalState): RemovalOutcome {
  const { work } = state.problem;
  const limit = Math.min(WORK_LIMITS.removal, WORK_LIMITS.allRemovals - work.spent());
  const [first] = removal.pods;
  return (
    work.tryOptional(limit, () => packKeepingShares(removal, state)) ?? {
      outcome: 'pods-left',
      count: removal.pods.length,
      ...(first && { first: podKey(first) }),
      reason: limit < WORK_LIMITS.removal ? TOO_MANY_REMOVALS : TOO_LONG_TO_MOVE,
    }
  );
}

const TOO_LONG_TO_MOVE = createTooMuchWorkReason('operations to move its pods', WORK_LIMITS.removal);
const TOO_MANY_REMOVALS = createTooMuchWorkReason(
  'operations with the other nodes of this plan',
  WORK_LIMITS.allRemovals,
);

/**
 * Packs the removal so that shares on demand are kept. If that is impossible, and possible without the
 * shares, they are the reason.
 */
function packKeepingShares(removal: Removal, state: RemovalState): RemovalOutcome {
  const outcome = packRemoval(removal, state);
  if ('relaunchUsd' in outcome || !hasOnDemandShare(removal.pods, state.problem)) return outcome;
  const problem = { ...state.problem, ignoresOnDemandShares: true as const };
  const ignoring = packRemoval(removal, { ...state, problem });
  return ignoring.outcome === 'breaks-share' ? ignoring : outcome;
}

/**
 * Packs the pods onto nodes that stay, and one new node for the others. If pods of the move could take
 * the places of others, one node for all of them may save more in the worst order.
 */
function packRemoval(removal: Removal, state: RemovalState): RemovalOutcome {
  const shared = packOnto(removal.mayReceive, removal, state);
  if (!removal.mayLaunch) return shared;
  if (shared.outcome === 'breaks-share') return packOnto(NO_NODES, removal, state);
  if (shared.outcome === 'not-cheaper')
    return packTogether(removal, state) ?? packInOneZone(shared, removal, state) ?? shared;
  if (!dependsOnOrder(shared)) return shared;
  const apart = packOnto(NO_NODES, removal, state);
  return computeMinSaving(apart, removal) > computeMinSaving(shared, removal) ? apart : shared;
}

const NO_NODES: ReadonlySet<string> = new Set();

/**
 * Packs all pods of one node onto one smaller node in the same zone. Pods may share a node that prefer to
 * be apart: kube-scheduler bound them together when no other node had room. Two new nodes for them would
 * cost more than theirs. On the smaller node they are spread as they are now.
 *
 * @returns `undefined` if there is no such node
 */
function packTogether(removal: Removal, { problem }: RemovalState): RemovalOutcome | undefined {
  const { nodes, pods, mayKeepTogether, maxReplacementUsd } = removal;
  const [node] = nodes;
  if (!mayKeepTogether || !node || nodes.length > 1) return undefined;
  const zone = problem.existingNodes.find(({ name }) => name === node.name)?.labels[ZONE_LABEL];
  const maxUsd = Math.min(node.hourlyUsd, maxReplacementUsd);
  if (!zone || findCheapestReplacement(pods, 0, problem).hourlyUsd >= maxUsd) return undefined;
  const assigned = assignBatch(problem, pods, {
    without: [node.name],
    mayReceive: () => false,
    ignoresPreferredTopology: true,
  });
  if (assigned.unassigned.size > 0) return undefined;
  const newNodes = findReplacements(pinToZone(zone, assigned), removal);
  if ('outcome' in newNodes) return newNodes.outcome === 'too-expensive' ? newNodes : undefined;
  return replaceBy(newNodes, removal, assigned);
}

/**
 * Packs the pods onto nodes that stay, and the others onto one new node, whose zone is chosen first.
 * Otherwise pods that spread over zones get a zone each before it is known that one node must hold
 * them all.
 *
 * @returns the zone that saves most; `undefined` if no zone saves anything
 */
function packInOneZone(refused: RemovalOutcome, removal: Removal, state: RemovalState): RemovalOutcome | undefined {
  const needsSeveralNodes = 'hourlyUsd' in refused && refused.hourlyUsd === Infinity;
  if (!needsSeveralNodes || !removal.pods.some(choosesZone)) return undefined;
  let best: { readonly outcome: RemovalOutcome; readonly savingUsd: number } | undefined;
  for (const zone of state.problem.offerings.zones) {
    const outcome = packOnto(removal.mayReceive, removal, state, zone);
    const savingUsd = computeMinSaving(outcome, removal);
    if (savingUsd > (best?.savingUsd ?? 0)) best = { outcome, savingUsd };
  }
  return best?.outcome;
}

const choosesZone = ({ spec }: Pod): boolean =>
  [...spec.topologySpread, ...spec.podAffinity, ...spec.podAntiAffinity].some(({ key }) => key === ZONE_LABEL);

const dependsOnOrder = (outcome: RemovalOutcome): boolean =>
  outcome.outcome === 'depends-on-order' || ('relaunchUsd' in outcome && outcome.relaunchUsd > 0);

/** The saving in the worst order, in USD per hour; 0 if the removal is refused. */
const computeMinSaving = (outcome: RemovalOutcome, removal: Removal): number =>
  'relaunchUsd' in outcome ? computeSaving(outcome, removal) - outcome.relaunchUsd : 0;

function computeSaving(removable: PossibleRemoval, { nodes }: Removal): number {
  const launched = removable.outcome === 'replaced' ? removable.claims : [];
  const launchedUsd = launched.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  return nodes.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, -launchedUsd);
}

function packOnto(
  targets: ReadonlySet<string>,
  removal: Removal,
  { problem }: RemovalState,
  launchZone?: string,
): RemovalOutcome {
  const { nodes, pods, mayLaunch, decision } = removal;
  const assigned = pinToZone(
    launchZone,
    assignBatch(problem, pods, {
      without: nodes.map(({ name }) => name),
      mayReceive: ({ name }) => targets.has(name),
      mayLaunch,
      ...(launchZone !== undefined && { launchZone }),
    }),
  );
  if (assigned.unassigned.size > 0) return podsLeft(assigned, mayLaunch);
  if (assigned.podGroups.length === 0) {
    const { placements } = createPlan(assigned.problem, pods, toSolution(assigned, []), decision);
    return withWorstOrder({ outcome: 'pods-fit', placements }, assigned, [], removal);
  }
  const newNodes = findReplacements(assigned, removal);
  if ('outcome' in newNodes) return newNodes;
  const isLighter = (one: NewNode): boolean => passesOverHeavierPool(one, assigned);
  if (launchZone !== undefined && newNodes.some(isLighter)) return NONE_ON_OFFER;
  return replaceBy(newNodes, removal, assigned);
}

/** A removal that saves nothing in the worst order would be repeated for ever. */
function withWorstOrder(
  possible: PossibleRemoval,
  assigned: AssignedBatch,
  newNodes: readonly NewNode[],
  removal: Removal,
): RemovalOutcome {
  const broken = findBrokenShare(toSharedMove(possible, removal), assigned.problem);
  if (broken) return { outcome: 'breaks-share', ...broken };
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

const toSharedMove = (possible: PossibleRemoval, { nodes, pods }: Removal): SharedMove => ({
  removed: new Set(nodes.map(({ name }) => name)),
  pods,
  placements: possible.placements,
  claims: possible.outcome === 'replaced' ? possible.claims : [],
});

function podsLeft({ unassigned, topology, problem }: AssignedBatch, mayLaunch: boolean): RemovalOutcome {
  const [cls] = unassigned.keys();
  const count = [...unassigned.values()].reduce((total, pods) => total + pods, 0);
  const first = cls?.pods[0];
  const reason = cls && mayLaunch && explainPoolRefusals(cls, topology, problem)[0]?.reasons[0];
  return { outcome: 'pods-left', count, ...(first && { first }), ...(reason && { reason }) };
}

function replaceBy(newNodes: readonly NewNode[], removal: Removal, assigned: AssignedBatch): RemovalOutcome {
  const { pods, decision } = removal;
  const plan = createPlan(assigned.problem, pods, toSolution(assigned, newNodes), decision);
  const { claims, placements } = plan;
  if (claims.length < newNodes.length) return NONE_ON_OFFER;
  return withWorstOrder({ outcome: 'replaced', claims, placements }, assigned, newNodes, removal);
}

const NONE_ON_OFFER: RefusedReplacement = {
  outcome: 'not-cheaper',
  best: 'none on offer',
  hourlyUsd: Infinity,
};

const toSolution = ({ placed, topology }: AssignedBatch, newNodes: readonly NewNode[]): Solution => ({
  placed,
  newNodes,
  unplaced: new Map(),
  costUsd: 0,
  topology,
});
