import type { CostBound } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import {
  type AssignedBatch,
  type AssignmentOptions,
  assignVariant,
  countPodsOf,
  createFirstVariant,
  listPodClasses,
  splitByComplexity,
} from '../assignment/assign-batch.ts';
import { type BatchVariant, withSpreadingFirst, withWholeClassesRelaxed } from '../assignment/batch-variants.ts';
import { withOnDemandPodsOfPools } from '../assignment/on-demand-pods.ts';
import { isSmallBatch } from '../assignment/pod-groups.ts';
import { repairPlan } from '../binding-simulation/repair-plan.ts';
import type { Problem } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { adoptBetterKarpenterPlan, convertKarpenterPlan } from '../karpenter-price/adopt-karpenter-plan.ts';
import { canSimulateKarpenter, simulateKarpenter } from '../karpenter-price/simulate-karpenter.ts';
import { findCheapestPacking } from '../packing/cheapest-packing.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { keepOnDemandShares } from '../packing/on-demand-nodes.ts';
import type { ReservedMode } from '../packing/pack-reserved.ts';
import { computeCost, isCheaper } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { compareUnplacedByPriority, isPriorityInverted } from '../pods/priority-comparison.ts';
import type { Topology } from '../topology/topology.ts';
import {
  type CapRule,
  capClass,
  capDomain,
  dropClass,
  hasOtherOptions,
  type MutableDomainCaps,
  type PackingOutcome,
} from './domain-caps.ts';

/** The result for a batch of pods, before claims get names. */
export interface Solution {
  readonly placed: AssignedBatch['placed'];
  readonly newNodes: readonly NewNode[];
  /** Pods without a place, by class. */
  readonly unplaced: ReadonlyMap<PodClass, number>;
  /** Classes with pods that wait for the next plan, because this plan takes their reservations. */
  readonly waiting?: ReadonlySet<PodClass>;
  /** Price of the new nodes with their cost besides the instance, in USD per hour. */
  readonly costUsd: number;
  readonly topology: Topology;
  /** The exact lower bound, if it is known. */
  readonly bound?: CostBound;
}

export interface SolveOptions extends AssignmentOptions {
  /**
   * Decides about pods that could have used reserved capacity; if undefined, they use other
   * capacity.
   */
  readonly reserved?: ReservedMode;
  /** True if the plan is repaired until its pods can be bound in any order. Default false. */
  readonly mustBind?: boolean;
}

/**
 * The cheapest of 12 simulated runs of Karpenter is rarely more than 1 % above its cheapest run of
 * all.
 */
const KARPENTER_RUNS = 12;

/** In this round, classes with pods that are still cut get no more new nodes (`dropClass`). */
const MAX_ROUNDS = 10;

/**
 * Places a batch of pods: tries several constructions and keeps the cheapest of those that place
 * most pods. Equal problems give equal solutions.
 *
 * Topology domains are chosen before nodes. If limits then leave pods of one domain without a node,
 * the pods of the other domains would violate the spread, so the domains are chosen again with a
 * cap on that domain. The same happens if a preference or the first of several required terms leads
 * to a full pool.
 *
 * The cause can be that this domain is full, or that no domain has room for more pods. Both caps
 * are tried, and the one that places more pods wins. In the same way the search tries other orders
 * in which classes choose domains, and whether a class gives up a spread for all of its pods.
 */
export function solve(problem: Problem, batch: readonly Pod[], options: SolveOptions = {}): Solution {
  const { work } = problem;
  const [classes, refused] = splitByComplexity(
    listPodClasses(problem, batch, (pods) => withOnDemandPodsOfPools(pods, problem, options.without ?? [])),
  );
  const original = createFirstVariant(classes, options);
  let best = attemptVariant(problem, batch, original, options);
  const improveBy = (variant: BatchVariant | undefined) => {
    const next =
      variant && work.tryOptional(WORK_LIMITS.variant, () => attemptVariant(problem, batch, variant, options));
    if (next) best = pickBetter(best, next);
  };
  const finish = (attempt: Attempt) => withOnDemandShares(toSolution(attempt, refused), attempt.assigned.problem);
  // For a large batch the order of choosing changes the cost only by chance.
  if (isSmallBatch(batch.length) || hasUnplacedPods(best)) {
    improveBy(withSpreadingFirst(problem, original));
  }
  improveBy(withWholeClassesRelaxed(best.variant, best.assigned.podGroups));
  if (options.mustBind && isPriorityViolated(best)) improveBy({ ...best.variant, byPriority: true });
  // Repairs would pack again without respecting priorities.
  if (!options.mustBind || best.variant.byPriority) return finish(best);
  const cheapest = best;
  return finish(work.tryOptional(WORK_LIMITS.simulation, () => makeBindable(cheapest)) ?? cheapest);
}

function withOnDemandShares(solution: Solution, problem: Problem): Solution {
  const receivers = new Set([...solution.placed.keys()].map(({ name }) => name));
  const newNodes = keepOnDemandShares(solution.newNodes, problem, receivers);
  if (newNodes === solution.newNodes) return solution;
  return { ...solution, newNodes, costUsd: computeCost({ newNodes, problem }).costUsd };
}

/**
 * Repairs the best attempt until its pods can be bound in any order, and adopts Karpenter's plan if
 * the simulation of Karpenter is better.
 */
function makeBindable(best: Attempt): Attempt {
  const { classes } = best.variant;
  const { problem, moving } = best.assigned;
  const isSimulated = best.packing.hourlyUsd > 0 && canSimulateKarpenter(problem, classes);
  const karpenterRuns = isSimulated ? simulateKarpenter(problem, classes, moving, KARPENTER_RUNS) : [];
  const adopted = adoptBetterKarpenterPlan(karpenterRuns, best, classes);
  const convert = () => convertKarpenterPlan(karpenterRuns, best.assigned, classes);
  const repaired = adopted
    ? repairPlan(adopted, classes, karpenterRuns)
    : repairPlan(best, classes, karpenterRuns, convert);
  return { ...best, assigned: repaired.assigned, packing: repaired.packing };
}

/** Finds the best result of one variant, with and without the caps that packing suggests. */
function attemptVariant(
  problem: Problem,
  batch: readonly Pod[],
  variant: BatchVariant,
  options: SolveOptions,
): Attempt {
  const waiting = new Set<PodClass>();
  const attempt = (caps: MutableDomainCaps): Attempt => {
    const assigned = assignVariant(problem, batch, variant, options, caps);
    const packing = findCheapestPacking(assigned.problem, assigned.podGroups, options.reserved, variant.byPriority);
    const cutGroups = [
      ...[...packing.unplaced.keys()].filter((podGroup) => hasOtherOptions(podGroup, problem)),
      ...[...packing.deferred.keys()].filter(({ domainKey }) => domainKey !== ''),
    ];
    for (const { cls } of packing.deferred.keys()) waiting.add(cls);
    return { variant, assigned, packing, cutGroups, waiting };
  };

  const first = attempt(new Map());
  const capRules = first.cutGroups.length > 0 ? [capDomain, capClass] : [];
  const attempts = capRules.flatMap((capRule) => {
    const repeat = () => repeatWithCaps(attempt, first, capRule);
    return problem.work.tryOptional(WORK_LIMITS.variant, repeat) ?? [];
  });
  return attempts.reduce(pickBetter, attempts[0] ?? first);
}

interface Attempt extends PackingOutcome {
  readonly variant: BatchVariant;
  readonly assigned: AssignedBatch;
  /** Classes with pods that some round deferred to the next plan because of reservations. */
  readonly waiting: ReadonlySet<PodClass>;
}

/** Assigns and packs with lower caps until no pod group is cut. */
function repeatWithCaps(attempt: (caps: MutableDomainCaps) => Attempt, first: Attempt, lowerCaps: CapRule): Attempt {
  const caps: MutableDomainCaps = new Map();
  let last = first;
  for (let round = 1; last.cutGroups.length > 0; round++) {
    const capRule = round < MAX_ROUNDS ? lowerCaps : dropClass;
    capRule(caps, last);
    last = attempt(caps);
  }
  return last;
}

/** True if pods have no place although pods of lower priority took room. */
function isPriorityViolated({ assigned, packing }: Attempt): boolean {
  if (packing.unplaced.size === 0 && assigned.unassigned.size === 0) return false;
  const onNodes = [...assigned.placed.values()].flatMap((counts) => [...counts.keys()]);
  const onNewNodes = packing.packingState.newNodes.flatMap(({ podCounts }) => [...podCounts.keys()]);
  const unplacedClasses = [...packing.unplaced.keys()].map(({ cls }) => cls);
  return (
    isPriorityInverted(unplacedClasses, [...onNodes, ...onNewNodes.map(({ cls }) => cls)]) ||
    isPriorityInverted(assigned.unassigned.keys(), onNodes)
  );
}

function pickBetter(current: Attempt, next: Attempt): Attempt {
  const [a, b] = [toSolution(next, []), toSolution(current, [])];
  const order = next.variant.byPriority
    ? compareUnplacedByPriority(a.unplaced, b.unplaced)
    : countUnplacedPods(a) - countUnplacedPods(b);
  return order < 0 || (order === 0 && isCheaper(a.costUsd, b.costUsd)) ? next : current;
}

const hasUnplacedPods = (attempt: Attempt): boolean => countUnplacedPods(toSolution(attempt, [])) > 0;

const countUnplacedPods = ({ unplaced }: Solution): number =>
  [...unplaced.values()].reduce((total, pods) => total + pods, 0);

/**
 * @param refused - classes that are too complex to be planned
 */
function toSolution({ assigned, packing, waiting }: Attempt, refused: readonly PodClass[]): Solution {
  const { placed, unassigned, topology } = assigned;
  const { packingState, unplaced: unplacedGroups, deferred, costUsd } = packing;
  const unplaced = new Map([...unassigned, ...countPodsOf(refused)]);
  for (const [{ cls }, count] of [...unplacedGroups, ...deferred]) unplaced.set(cls, (unplaced.get(cls) ?? 0) + count);
  return { placed, newNodes: packingState.newNodes, unplaced, waiting, costUsd, topology };
}
