import {
  type ClusterSnapshot,
  findMissingObject,
  type UnreadableObject,
} from '../model/cluster-snapshot.ts';
import { stateIncomplete } from '../model/explanations/reasons.ts';
import type { Placement, ProvisioningPlan, Unplaced } from '../model/plans.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import {
  addExpectedCounts,
  type ExpectedPods,
  keepExpectedPods,
  keepNoPods,
} from './input/expected-pods.ts';
import { listPodsToPlace, MAX_WORKLOADS, selectPlanBatch } from './input/plan-batch.ts';
import { type Problem, prepare } from './input/problem.ts';
import { computePlanBound } from './packing/bounds/plan-bound.ts';
import { createPlan } from './plan-of-solution.ts';
import { listAnticipatedPods } from './pods/anticipated-pods.ts';
import { listBufferPods } from './pods/buffer-pods.ts';
import { separateAnticipatedPods } from './pods/separate-anticipated-pods.ts';
import { type Solution, type SolveOptions, solve } from './search/solve.ts';
import { withStaticClaims } from './static-claims.ts';

export interface PlanOptions {
  /** Whether pods have room made that their owners are still creating. Default true. */
  readonly anticipate?: boolean;
  /** The most workloads whose pods are looked at; those of others wait for the next plan. */
  readonly mostWorkloads?: number;
}

/**
 * Places the snapshot's pending pods, and those of nodes that are going away, on nodes that exist,
 * on claims under way and on new claims.
 *
 * @param decision - id of this decision; the new claims' names derive from it, so that storing a
 *   plan twice collides instead of doubling
 */
export function planProvisioning(
  snapshot: ClusterSnapshot,
  decision: string,
  { anticipate = true, mostWorkloads = MAX_WORKLOADS }: PlanOptions = {},
): ProvisioningPlan {
  const problem = prepare(snapshot);
  const batch = listPodsToPlace(problem);
  const missing = findMissingObject('launch', snapshot);
  if (missing) return createEmptyPlan(batch, missing, snapshot);

  const { pods, deferred } = selectPlanBatch(batch, snapshot.takenAt, mostWorkloads);
  // What is not there comes last: not before pods that are.
  const isLast = deferred.length === 0;
  const awaited = anticipate && isLast ? listAnticipatedPods(snapshot) : [];
  const plan = planWithExtraPods(
    problem,
    pods,
    awaited,
    isLast ? listBufferPods(snapshot) : [],
    decision,
  );
  const unplaced = isLast ? plan.unplaced : [...plan.unplaced, createWaiting(deferred, snapshot)];
  return withStaticClaims({ ...plan, unplaced }, problem, decision);
}

/** Pods that nobody has looked at yet. */
function createWaiting(later: readonly Pod[], { pools }: ClusterSnapshot): Unplaced {
  const reasons = [{ code: 'next-turn', fields: { pods: `${later.length}` } } as const];
  const refusals = pools.map(({ name }) => ({ pool: name, reasons }));
  return { pods: later.map(podKey), pools: refusals, nodes: [], waits: true };
}

/** A plan that is acted on tells the next one what became of reserved capacity. */
const STRICT: SolveOptions = { reserved: 'strict', mustBind: true };

/**
 * Pods that are there come first: room for others is left out if one of those goes without, that of
 * buffers before that for pods which are about to be created.
 */
function planWithExtraPods(
  problem: Problem,
  batch: readonly Pod[],
  awaited: readonly Pod[],
  headroom: readonly Pod[],
  decision: string,
): ProvisioningPlan {
  const planWith = (...extraPods: readonly Pod[]) => {
    const candidate = planAsExpected(problem, [...batch, ...extraPods], decision);
    return extraPods.length > 0
      ? { ...candidate, plan: separateAnticipatedPods(candidate.plan, awaited, headroom) }
      : candidate;
  };
  let best = planWith(...awaited, ...headroom);
  const smallerExtras = [
    ...(headroom.length > 0 ? [awaited] : []),
    ...(awaited.length > 0 ? [[]] : []),
  ];
  for (const extraPods of smallerExtras) {
    if (best.plan.unplaced.length === 0) break;
    const next = planWith(...extraPods);
    if (countUnplaced(next.plan) < countUnplaced(best.plan)) best = next;
  }
  const bound = computePlanBound(problem, best.solution, best.keptPods);
  return { ...best.plan, ...(bound && { bound }) };
}

interface PlanCandidate {
  readonly plan: ProvisioningPlan;
  readonly solution: Solution;
  /** Pods of the plan that the solution leaves where they were planned before. */
  readonly keptPods: readonly Pod[];
}

/**
 * Pods for which claims are under way keep those, unless packing all of them anew places more, or as
 * many for less.
 */
function planAsExpected(problem: Problem, batch: readonly Pod[], decision: string): PlanCandidate {
  const expected = keepExpectedPods(problem, batch);
  const asExpected = planRemaining(expected, decision);
  const { claims, unplaced } = asExpected.plan;
  if (expected.keptPods.length === 0 || claims.length + unplaced.length === 0) return asExpected;
  const repacked = planRemaining(keepNoPods(problem, batch), decision);
  const extraPods = countUnplaced(asExpected.plan) - countUnplaced(repacked.plan);
  const dearer = asExpected.solution.costUsd - repacked.solution.costUsd;
  return extraPods > 0 || (extraPods === 0 && dearer > 0) ? repacked : asExpected;
}

function planRemaining(
  { problem, remaining, keptPods, placements }: ExpectedPods,
  decision: string,
): PlanCandidate {
  const solution = solve(problem, remaining, STRICT);
  const plan = createPlan(problem, remaining, solution, decision);
  const all = mergePlacements([...placements, ...plan.placements]);
  const claims = addExpectedCounts(plan.claims, remaining);
  return { solution, keptPods, plan: { ...plan, claims, placements: all } };
}

const mergePlacements = (placements: readonly Placement[]): readonly Placement[] =>
  [...Map.groupBy(placements, ({ target }) => target)].map(([target, parts]) => ({
    target,
    pods: parts.flatMap(({ pods }) => pods),
  }));

const countUnplaced = ({ unplaced }: ProvisioningPlan): number =>
  unplaced.reduce((total, { pods }) => total + pods.length, 0);

/** No decision on missing data: nothing is launched, and every pod says why. */
function createEmptyPlan(
  batch: readonly Pod[],
  missing: UnreadableObject,
  { pools }: ClusterSnapshot,
): ProvisioningPlan {
  const reasons = [stateIncomplete(missing)];
  const refusals = pools.map(({ name }) => ({ pool: name, reasons }));
  const unplaced =
    batch.length > 0 ? [{ pods: batch.map(podKey), pools: refusals, nodes: [] }] : [];
  return { claims: [], placements: [], unplaced, hourlyUsd: 0 };
}
