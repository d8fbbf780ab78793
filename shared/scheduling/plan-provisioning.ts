import { type ClusterSnapshot, findMissingObject, type UnreadableObject } from '../model/cluster-snapshot.ts';
import { stateIncomplete } from '../model/explanations/reasons.ts';
import { EMPTY_PLAN, type Placement, type ProvisioningPlan } from '../model/plans.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import { hideWeights } from '../model/unpriced-plans.ts';
import { placeLeavingPods } from './assignment/place-leaving-pods.ts';
import { createDeferredEntry, createPlan } from './create-plan.ts';
import { createWorkMeter, type WorkMeter } from './data-structures/work-meter.ts';
import { addExpectedCounts, type ExpectedPods, keepExpectedPods, keepNoPods } from './input/expected-pods.ts';
import { selectFairShare } from './input/fair-share.ts';
import { listGrowthPods, withoutGrowthPods } from './input/growth-pods.ts';
import { listPodsToPlace, MAX_WORKLOADS, selectPlanBatch } from './input/plan-batch.ts';
import { type Problem, prepare, withClassLimit } from './input/problem.ts';
import { WORK_LIMITS } from './input/work-limits.ts';
import { computePlanBound } from './packing/bounds/plan-bound.ts';
import { listAnticipatedPods } from './pods/anticipated-pods.ts';
import { listBufferPods } from './pods/buffer-pods.ts';
import { separateAnticipatedPods } from './pods/separate-anticipated-pods.ts';
import { type Solution, solve } from './search/solve.ts';
import { solveOneClass } from './search/solve-one-class.ts';
import { withStaticClaims } from './static-claims.ts';

export interface PlanOptions {
  /** True if room is planned for pods that their owners are still creating. Default true. */
  readonly anticipate?: boolean;
  /** False for the price of the cheapest packing, without room for pods that kube-scheduler binds elsewhere. Default true. */
  readonly mustBind?: boolean;
  /** Maximum number of workloads in this plan; pods of other workloads wait for the next plan. */
  readonly maxWorkloads?: number;
  /** Counts the operations of the plan. */
  readonly work?: WorkMeter;
  /** Operations after which a smaller part of the pods is planned. */
  readonly attemptLimit?: number;
}

/**
 * Plans where pending pods and the pods of leaving nodes go: onto existing nodes, onto claims under
 * way, and onto new NodeClaims.
 *
 * The folders of `shared/scheduling` are layers, lowest first. A folder imports only from folders
 * with a smaller number, and this file imports from all of them:
 *
 * 1. `data-structures`: bitsets, resource vectors, a lazy ranking.
 * 2. `pods`: pod classes, relaxations of preferences, buffer pods, anticipated pods.
 * 3. `instance-types`: types, offerings and NodePools, indexed.
 * 4. `input`: stages of the snapshot, existing nodes, pool limits, the pods of the batch; `prepare`
 * gives the `Problem`.
 * 5. `topology` and `devices`: spread and affinity rules, domains; devices that pods claim.
 * 6. `assignment`: domains and existing nodes for each class; the other pods become pod groups.
 * 7. `packing`: new nodes for pod groups, their prices, lower bounds.
 * 8. `claims`: new nodes as NodeClaims.
 * 9. `karpenter-price`: the price that Karpenter would pay.
 * 10. `binding-simulation`: kube-scheduler's binding orders, repairs of the plan.
 * 11. `search`: variants, caps and constructions; the best one wins.
 * 12. `explanation`: reasons of unplaced pods, and fixes.
 *
 * @param decision - id of this decision; the names of new claims derive from it, so a plan that is
 *   stored twice collides instead of launching twice
 */
export function planProvisioning(
  snapshot: ClusterSnapshot,
  decision: string,
  {
    anticipate = true,
    mustBind = true,
    maxWorkloads = MAX_WORKLOADS,
    work = createWorkMeter(),
    attemptLimit = WORK_LIMITS.attempt,
  }: PlanOptions = {},
): ProvisioningPlan {
  const problem = prepare(snapshot, work);
  const batch = listPodsToPlace(problem);
  const missing = findMissingObject('launch', snapshot);
  if (missing) return createEmptyPlan(batch, missing, snapshot);

  const selected = selectPlanBatch(batch, snapshot.takenAt, maxWorkloads);
  const planned = planWithinLimits(
    problem,
    selected.pods,
    (part, pods) => {
      // Room for pods that do not exist yet is planned only if no existing pod waits.
      const isLast = selected.deferred.length === 0 && pods === selected.pods;
      const anticipates = anticipate && isLast;
      const anticipatedPods = anticipates && snapshot.owners ? listAnticipatedPods(snapshot) : [];
      const bufferPods = isLast && snapshot.buffers ? listBufferPods(snapshot) : [];
      const growthPods = anticipates && part.existingNodes.length > 0 ? listGrowthPods(part, pods) : [];
      const extraPods = { anticipatedPods, bufferPods, growthPods };
      return planWithExtraPods(part, pods, extraPods, { decision, mustBind });
    },
    attemptLimit,
  );
  const deferred = [...selected.deferred, ...planned.deferred];
  const { plan } = planned;
  const unplaced =
    deferred.length === 0 ? plan.unplaced : [...plan.unplaced, createDeferredEntry(deferred.map(podKey), snapshot)];
  const complete = withStaticClaims({ ...plan, unplaced }, problem, decision);
  return snapshot.unpriced ? hideWeights(complete) : complete;
}

/** Parts of the estimated work that are tried if the whole batch is too much work for one plan. */
const SMALLER_SHARES = [1 / 4, 1 / 16, 1 / 64, 1 / 512, 1 / 4096] as const;
/** A smaller batch is meant to take less than the whole; two failures must not double the time. */
const SMALLER_ATTEMPT_SHARE = 1 / 4;
const SMALLER_CLASS_SHARE = 1 / 8;

/**
 * Plans the batch, or as much of it as the work limits allow. The other pods wait for the next plan,
 * which selects others.
 */
function planWithinLimits(
  problem: Problem,
  batch: readonly Pod[],
  plan: (part: Problem, pods: readonly Pod[]) => ProvisioningPlan,
  limit: number,
): { readonly plan: ProvisioningPlan; readonly deferred: readonly Pod[] } {
  const { work, snapshot, measuredWork } = problem;
  const whole = work.tryWithin(limit, () => plan(problem, batch));
  if (whole) return { plan: whole, deferred: [] };
  for (const share of SMALLER_SHARES) {
    const { pods, deferred } = selectFairShare(batch, share, measuredWork, snapshot.takenAt);
    const smaller = withClassLimit(problem, WORK_LIMITS.podClass * SMALLER_CLASS_SHARE);
    const part = work.tryWithin(limit * SMALLER_ATTEMPT_SHARE, () => plan(smaller, pods));
    if (part) return { plan: part, deferred };
  }
  return { plan: EMPTY_PLAN, deferred: batch };
}

interface CandidateOptions {
  readonly decision: string;
  readonly mustBind: boolean;
}

/** Pods that do not exist yet but have room planned for them. */
interface ExtraPods {
  readonly anticipatedPods: readonly Pod[];
  readonly bufferPods: readonly Pod[];
  readonly growthPods: readonly Pod[];
}

/**
 * Plans existing pods together with pods that do not exist yet. If a pod stays unplaced, first the
 * growth pods, then the buffer pods and then the anticipated pods are left out.
 */
function planWithExtraPods(
  problem: Problem,
  batch: readonly Pod[],
  { anticipatedPods, bufferPods, growthPods }: ExtraPods,
  options: CandidateOptions,
): ProvisioningPlan {
  const planWith = (...extraPods: readonly Pod[]) => {
    const candidate = planKeepingClaims(problem, [...batch, ...extraPods], options);
    if (extraPods.length === 0) return candidate;
    const plan = withoutGrowthPods(candidate.plan, growthPods);
    return { ...candidate, plan: separateAnticipatedPods(plan, anticipatedPods, bufferPods) };
  };
  const requestedPods = [...anticipatedPods, ...bufferPods];
  let best = planWith(...requestedPods, ...growthPods);
  const smallerExtras = [
    ...(growthPods.length > 0 ? [requestedPods] : []),
    ...(bufferPods.length > 0 ? [anticipatedPods] : []),
    ...(anticipatedPods.length > 0 ? [[]] : []),
  ];
  for (const extraPods of smallerExtras) {
    if (best.plan.unplaced.length === 0) break;
    const next = planWith(...extraPods);
    if (countUnplaced(next.plan) < countUnplaced(best.plan)) best = next;
  }
  // The bound of pods that are not all planned says nothing about the plan.
  const bound = growthPods.length === 0 && computePlanBound(problem, best.solution, best.keptPods);
  return { ...best.plan, ...(bound && { bound }) };
}

interface PlanCandidate {
  readonly plan: ProvisioningPlan;
  readonly solution: Solution;
  /** Pods that keep the claims of an earlier plan. */
  readonly keptPods: readonly Pod[];
}

/**
 * Pods with claims under way keep those claims, unless packing all pods anew places more pods, or
 * as many for less.
 */
function planKeepingClaims(problem: Problem, batch: readonly Pod[], options: CandidateOptions): PlanCandidate {
  const kept = keepExpectedPods(problem, batch);
  const isAnyLeaving = batch.some(({ nodeName }) => nodeName !== undefined);
  const expected = isAnyLeaving ? placeLeavingPods(kept) : kept;
  const keeping = planRemaining(expected, options);
  const { claims, unplaced } = keeping.plan;
  if (expected.keptPods.length === 0 || claims.length + unplaced.length === 0) return keeping;
  const repacked = planRemaining(placeLeavingPods(keepNoPods(problem, batch)), options);
  const extraUnplaced = countUnplaced(keeping.plan) - countUnplaced(repacked.plan);
  const extraCostUsd = keeping.solution.costUsd - repacked.solution.costUsd;
  return extraUnplaced > 0 || (extraUnplaced === 0 && extraCostUsd > 0) ? repacked : keeping;
}

function planRemaining(
  { problem, remaining, keptPods, placements }: ExpectedPods,
  { decision, mustBind }: CandidateOptions,
): PlanCandidate {
  // Pods that lack reserved capacity wait, because the next plan knows which reservations this one took.
  const solution = solveOneClass(problem, remaining) ?? solve(problem, remaining, { reserved: 'strict', mustBind });
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

/** Without complete data nothing is launched, and every pod reports the missing object. */
function createEmptyPlan(
  batch: readonly Pod[],
  missing: UnreadableObject,
  { pools }: ClusterSnapshot,
): ProvisioningPlan {
  const reasons = [stateIncomplete(missing)];
  const refusals = pools.map(({ name }) => ({ pool: name, reasons }));
  const unplaced = batch.length > 0 ? [{ pods: batch.map(podKey), pools: refusals, nodes: [] }] : [];
  return { ...EMPTY_PLAN, unplaced };
}
