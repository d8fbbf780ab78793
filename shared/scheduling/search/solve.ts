import type { Pod } from '../../model/pods/pod.ts';
import {
  type AssignedBatch,
  type AssignmentOptions,
  assignVariant,
  listPodClasses,
} from '../assignment/assign-batch.ts';
import {
  type BatchVariant,
  createOriginalVariant,
  withSpreadingFirst,
  withWholeClassesRelaxed,
} from '../assignment/batch-variants.ts';
import { isSmallBatch } from '../assignment/pod-groups.ts';
import { repairPlan } from '../binding-simulation/repair-plan.ts';
import type { Problem } from '../input/problem.ts';
import { adoptCheaperKarpenterPlan } from '../karpenter-price/adopt-karpenter-plan.ts';
import { canSimulateKarpenter, simulateKarpenter } from '../karpenter-price/simulate-karpenter.ts';
import { findCheapestPacking } from '../packing/cheapest-packing.ts';
import { type NewNode } from '../packing/new-nodes/new-node.ts';
import type { ReservedMode } from '../packing/pack-reserved.ts';
import { isCheaper } from '../packing/packing.ts';
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

/** What a batch of pods comes to: the pure answer, before names and records. */
export interface Solution {
  readonly placed: AssignedBatch['placed'];
  readonly newNodes: readonly NewNode[];
  /** Pods that found no place, by class. */
  readonly unplaced: ReadonlyMap<PodClass, number>;
  /** Classes of them that wait for the next plan: this one takes their reservations. */
  readonly waiting?: ReadonlySet<PodClass>;
  /** Of the drafts with what nodes cost beside their instance, in USD per hour. */
  readonly costUsd: number;
  readonly topology: Topology;
}

export interface SolveOptions extends AssignmentOptions {
  /** What becomes of pods that could have used reserved capacity; absent: they go elsewhere. */
  readonly reserved?: ReservedMode;
  /** Whether the plan is made to hold however kube-scheduler binds its pods. Default false. */
  readonly mustBind?: boolean;
}

/** Of so many of Karpenter's runs the cheapest is hardly ever more than 1 % above the cheapest of all. */
const KARPENTER_RUNS = 12;

/** Packing may teach so often that a domain takes fewer pods than it was given; then they go without. */
const MAX_ROUNDS = 10;

/**
 * Places a batch of pods. Several constructions are tried and the cheapest that places most wins;
 * equal problems give equal solutions.
 *
 * Domains are chosen before nodes are. Where limits then cut the pods of one domain short, those of
 * the others would break the spread: so the domains are chosen again, with what was learnt. So it is
 * where a preference, or the first of several required terms, leads to a pool that is full.
 *
 * What there is to learn is open: that this domain has no room, or that there is none for so many
 * pods wherever they go. Both are followed, and the one that places more wins. So it is with who
 * chooses a domain first, and with how many of a class give up a spread that some cannot have.
 */
export function solve(
  problem: Problem,
  batch: readonly Pod[],
  options: SolveOptions = {},
): Solution {
  const original = createOriginalVariant(listPodClasses(problem, batch));
  let best = attemptVariant(problem, batch, original, options);
  // What a large batch costs depends on who chooses first by luck alone.
  if (isSmallBatch(batch.length) || hasUnplacedPods(best)) {
    const other = withSpreadingFirst(problem, original);
    if (other) best = pickBetter(best, attemptVariant(problem, batch, other, options));
  }
  const relaxed = withWholeClassesRelaxed(best.variant, best.assigned.podGroups);
  if (relaxed) best = pickBetter(best, attemptVariant(problem, batch, relaxed, options));
  if (options.mustBind && isPriorityViolated(best)) {
    const byPriority = { ...best.variant, byPriority: true };
    best = pickBetter(best, attemptVariant(problem, batch, byPriority, options));
  }
  // Hardening would pack again, and knows nothing of who is to come first.
  if (!options.mustBind || best.variant.byPriority) return toSolution(best);
  return toSolution(makeBindable(best));
}

/** The same made to hold, and for no more than Karpenter would pay where that can be foreseen. */
function makeBindable(best: Attempt): Attempt {
  const { classes } = best.variant;
  const { problem, moving } = best.assigned;
  const isSimulated = best.packing.hourlyUsd > 0 && canSimulateKarpenter(problem, classes);
  const karpenterRuns = isSimulated
    ? simulateKarpenter(problem, classes, moving, KARPENTER_RUNS)
    : [];
  const { assigned, packing } = adoptCheaperKarpenterPlan(karpenterRuns, best, classes) ?? best;
  return { ...best, assigned, packing: repairPlan(assigned, packing, classes, karpenterRuns) };
}

/** The best that comes of one reading, with what packing teaches. */
function attemptVariant(
  problem: Problem,
  batch: readonly Pod[],
  variant: BatchVariant,
  options: SolveOptions,
): Attempt {
  const waiting = new Set<PodClass>();
  const attempt = (caps: MutableDomainCaps): Attempt => {
    const assigned = assignVariant(problem, batch, variant, options, caps);
    const packing = findCheapestPacking(
      assigned.problem,
      assigned.podGroups,
      options.reserved,
      variant.byPriority,
    );
    const cutGroups = [
      ...[...packing.unplaced.keys()].filter((podGroup) => hasOtherOptions(podGroup, problem)),
      ...[...packing.deferred.keys()].filter(({ domainKey }) => domainKey !== ''),
    ];
    for (const { cls } of packing.deferred.keys()) waiting.add(cls);
    return { variant, assigned, packing, cutGroups, waiting };
  };

  const first = attempt(new Map());
  const capRules = first.cutGroups.length > 0 ? [capDomain, capClass] : [];
  const attempts = capRules.map((capRule) => repeatWithCaps(attempt, first, capRule));
  return attempts.reduce(pickBetter, attempts[0] ?? first);
}

interface Attempt extends PackingOutcome {
  readonly variant: BatchVariant;
  readonly assigned: AssignedBatch;
  /** Classes with pods that some round left to the next plan, for the sake of reservations. */
  readonly waiting: ReadonlySet<PodClass>;
}

/** Assigns and packs until nothing is cut short any more. */
function repeatWithCaps(
  attempt: (caps: MutableDomainCaps) => Attempt,
  first: Attempt,
  lowerCaps: CapRule,
): Attempt {
  const caps: MutableDomainCaps = new Map();
  let last = first;
  for (let round = 1; last.cutGroups.length > 0; round++) {
    const capRule = round < MAX_ROUNDS ? lowerCaps : dropClass;
    capRule(caps, last);
    last = attempt(caps);
  }
  return last;
}

/** Whether pods go without a place for want of room that others of lower priority get. */
function isPriorityViolated({ assigned, packing }: Attempt): boolean {
  if (packing.unplaced.size === 0 && assigned.unassigned.size === 0) return false;
  const onNodes = [...assigned.placed.values()].flatMap((counts) => [...counts.keys()]);
  const onNewNodes = packing.packingState.newNodes.flatMap(({ podCounts }) => [
    ...podCounts.keys(),
  ]);
  const left = [...packing.unplaced.keys()].map(({ cls }) => cls);
  return (
    isPriorityInverted(left, [...onNodes, ...onNewNodes.map(({ cls }) => cls)]) ||
    isPriorityInverted(assigned.unassigned.keys(), onNodes)
  );
}

function pickBetter(current: Attempt, next: Attempt): Attempt {
  const [a, b] = [toSolution(next), toSolution(current)];
  const order = next.variant.byPriority
    ? compareUnplacedByPriority(a.unplaced, b.unplaced)
    : countUnplacedPods(a) - countUnplacedPods(b);
  return order < 0 || (order === 0 && isCheaper(a.costUsd, b.costUsd)) ? next : current;
}

const hasUnplacedPods = (attempt: Attempt): boolean => countUnplacedPods(toSolution(attempt)) > 0;

const countUnplacedPods = ({ unplaced }: Solution): number =>
  [...unplaced.values()].reduce((total, pods) => total + pods, 0);

function toSolution({ assigned, packing, waiting }: Attempt): Solution {
  const { placed, unassigned, topology } = assigned;
  const { packingState, unplaced: left, deferred, costUsd } = packing;
  const unplaced = new Map(unassigned);
  for (const [{ cls }, count] of [...left, ...deferred])
    unplaced.set(cls, (unplaced.get(cls) ?? 0) + count);
  return { placed, newNodes: packingState.newNodes, unplaced, waiting, costUsd, topology };
}
