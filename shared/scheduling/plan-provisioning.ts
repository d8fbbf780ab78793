import {
  type ClusterSnapshot,
  missingFor,
  type UnreadableObject,
} from '../model/cluster-snapshot.ts';
import { stateIncomplete } from '../model/explanations/reasons.ts';
import type { Placement, ProvisioningPlan, Unplaced } from '../model/plans.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import {
  type ExpectedPods,
  withExpectations,
  withExpected,
  withoutExpected,
} from './input/expected-pods.ts';
import { listPodsToPlace, MAX_WORKLOADS, selectPlanBatch } from './input/plan-batch.ts';
import { type Problem, prepare } from './input/problem.ts';
import { boundOf } from './packing/bounds/plan-bound.ts';
import { planOf } from './plan-of-solution.ts';
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
  const missing = missingFor('launch', snapshot);
  if (missing) return undecided(batch, missing, snapshot);

  const { pods, deferred } = selectPlanBatch(batch, snapshot.takenAt, mostWorkloads);
  // What is not there comes last: not before pods that are.
  const isLast = deferred.length === 0;
  const awaited = anticipate && isLast ? listAnticipatedPods(snapshot) : [];
  const plan = planAhead(problem, pods, awaited, isLast ? listBufferPods(snapshot) : [], decision);
  const unplaced = isLast ? plan.unplaced : [...plan.unplaced, left(deferred, snapshot)];
  return withStaticClaims({ ...plan, unplaced }, problem, decision);
}

/** Pods that nobody has looked at yet. */
function left(later: readonly Pod[], { pools }: ClusterSnapshot): Unplaced {
  const reasons = [{ code: 'next-turn', fields: { pods: `${later.length}` } } as const];
  const refusals = pools.map(({ name }) => ({ pool: name, reasons }));
  return { pods: later.map(podKey), pools: refusals, nodes: [], waits: true };
}

/** A plan that is acted on tells the next one what became of reserved capacity. */
const STRICT: SolveOptions = { reserved: 'strict', holds: true };

/**
 * Pods that are there come first: room for others is left out if one of those goes without, that of
 * buffers before that for pods which are about to be created.
 */
function planAhead(
  problem: Problem,
  batch: readonly Pod[],
  awaited: readonly Pod[],
  headroom: readonly Pod[],
  decision: string,
): ProvisioningPlan {
  const planWith = (...more: readonly Pod[]) => {
    const drafted = planAsExpected(problem, [...batch, ...more], decision);
    return more.length > 0
      ? { ...drafted, plan: separateAnticipatedPods(drafted.plan, awaited, headroom) }
      : drafted;
  };
  let best = planWith(...awaited, ...headroom);
  const lessAhead = [
    ...(headroom.length > 0 ? [awaited] : []),
    ...(awaited.length > 0 ? [[]] : []),
  ];
  for (const more of lessAhead) {
    if (best.plan.unplaced.length === 0) break;
    const next = planWith(...more);
    if (countUnplaced(next.plan) < countUnplaced(best.plan)) best = next;
  }
  const bound = boundOf(problem, best.solution, best.kept);
  return { ...best.plan, ...(bound && { bound }) };
}

interface Drafted {
  readonly plan: ProvisioningPlan;
  readonly solution: Solution;
  /** Pods of the plan that the solution leaves where they were planned before. */
  readonly kept: readonly Pod[];
}

/**
 * Pods for which claims are under way keep those, unless packing all of them anew places more, or as
 * many for less.
 */
function planAsExpected(problem: Problem, batch: readonly Pod[], decision: string): Drafted {
  const expected = withExpected(problem, batch);
  const asExpected = draftedOn(expected, decision);
  const { claims, unplaced } = asExpected.plan;
  if (expected.kept.length === 0 || claims.length + unplaced.length === 0) return asExpected;
  const anew = draftedOn(withoutExpected(problem, batch), decision);
  const more = countUnplaced(asExpected.plan) - countUnplaced(anew.plan);
  const dearer = asExpected.solution.costUsd - anew.solution.costUsd;
  return more > 0 || (more === 0 && dearer > 0) ? anew : asExpected;
}

function draftedOn({ problem, rest, kept, placements }: ExpectedPods, decision: string): Drafted {
  const solution = solve(problem, rest, STRICT);
  const plan = planOf(problem, rest, solution, decision);
  const all = joined([...placements, ...plan.placements]);
  const claims = withExpectations(plan.claims, rest);
  return { solution, kept, plan: { ...plan, claims, placements: all } };
}

const joined = (placements: readonly Placement[]): readonly Placement[] =>
  [...Map.groupBy(placements, ({ target }) => target)].map(([target, parts]) => ({
    target,
    pods: parts.flatMap(({ pods }) => pods),
  }));

const countUnplaced = ({ unplaced }: ProvisioningPlan): number =>
  unplaced.reduce((total, { pods }) => total + pods.length, 0);

/** No decision on missing data: nothing is launched, and every pod says why. */
function undecided(
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
