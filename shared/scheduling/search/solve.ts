import type { Pod } from '../../model/pods/pod.ts';
import {
  type AssignedBatch,
  type AssignmentOptions,
  assignVariant,
  listPodClasses,
} from '../assignment/assign-batch.ts';
import {
  createOriginalVariant,
  type BatchVariant,
  withWholeClassesRelaxed,
  withSpreadingFirst,
} from '../assignment/batch-variants.ts';
import { isSmallBatch } from '../assignment/pod-groups.ts';
import { repairPlan } from '../binding-simulation/repair-plan.ts';
import type { Problem } from '../input/problem.ts';
import { adoptCheaperKarpenterPlan } from '../karpenter-price/adopt-karpenter-plan.ts';
import { canSimulateKarpenter, simulateKarpenter } from '../karpenter-price/simulate-karpenter.ts';
import { findCheapestPacking } from '../packing/cheapest-packing.ts';
import type { NewNode } from '../packing/new-nodes/packing-state.ts';
import type { ReservedMode } from '../packing/pack-reserved.ts';
import { isCheaper } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { compareUnplacedByPriority, isPriorityInverted } from '../pods/priority-comparison.ts';
import type { Topology } from '../topology/topology.ts';
import {
  type Caps,
  forgo,
  hasElsewhere,
  type Lesson,
  lowerPlace,
  lowerTotal,
  type Outcome,
} from './domain-caps.ts';

/** What a batch of pods comes to: the pure answer, before names and records. */
export interface Solution {
  readonly placed: AssignedBatch['placed'];
  readonly drafts: readonly NewNode[];
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
  readonly holds?: boolean;
}

/** Of so many of Karpenter's runs the cheapest is hardly ever more than 1 % above the cheapest of all. */
const RUNS = 12;

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
  const written = createOriginalVariant(listPodClasses(problem, batch));
  let best = attemptOf(problem, batch, written, options);
  // What a large batch costs depends on who chooses first by luck alone.
  if (isSmallBatch(batch.length) || isShort(best)) {
    const other = withSpreadingFirst(problem, written);
    if (other) best = betterOf(best, attemptOf(problem, batch, other, options));
  }
  const relaxed = withWholeClassesRelaxed(best.reading, best.assigned.podGroups);
  if (relaxed) best = betterOf(best, attemptOf(problem, batch, relaxed, options));
  if (options.holds && isUnfair(best)) {
    const fair = { ...best.reading, byPriority: true };
    best = betterOf(best, attemptOf(problem, batch, fair, options));
  }
  // Hardening would pack again, and knows nothing of who is to come first.
  if (!options.holds || best.reading.byPriority) return solutionOf(best);
  return solutionOf(held(best));
}

/** The same made to hold, and for no more than Karpenter would pay where that can be foreseen. */
function held(best: Attempt): Attempt {
  const { classes } = best.reading;
  const { problem, moving } = best.assigned;
  const isAsked = best.packing.hourlyUsd > 0 && canSimulateKarpenter(problem, classes);
  const foreseen = isAsked ? simulateKarpenter(problem, classes, moving, RUNS) : [];
  const { assigned, packing } = adoptCheaperKarpenterPlan(foreseen, best, classes) ?? best;
  return { ...best, assigned, packing: repairPlan(assigned, packing, classes, foreseen) };
}

/** The best that comes of one reading, with what packing teaches. */
function attemptOf(
  problem: Problem,
  batch: readonly Pod[],
  reading: BatchVariant,
  options: SolveOptions,
): Attempt {
  const waiting = new Set<PodClass>();
  const attempt = (caps: Caps): Attempt => {
    const assigned = assignVariant(problem, batch, reading, options, caps);
    const packing = findCheapestPacking(
      assigned.problem,
      assigned.podGroups,
      options.reserved,
      reading.byPriority,
    );
    const cut = [
      ...[...packing.unplaced.keys()].filter((unit) => hasElsewhere(unit, problem)),
      ...[...packing.deferred.keys()].filter(({ domainKey }) => domainKey !== ''),
    ];
    for (const { cls } of packing.deferred.keys()) waiting.add(cls);
    return { reading, assigned, packing, cut, waiting };
  };

  const first = attempt(new Map());
  const lessons = first.cut.length > 0 ? [lowerPlace, lowerTotal] : [];
  const attempts = lessons.map((lesson) => learning(attempt, first, lesson));
  return attempts.reduce(betterOf, attempts[0] ?? first);
}

interface Attempt extends Outcome {
  readonly reading: BatchVariant;
  readonly assigned: AssignedBatch;
  /** Classes with pods that some round left to the next plan, for the sake of reservations. */
  readonly waiting: ReadonlySet<PodClass>;
}

/** Assigns and packs until nothing is cut short any more. */
function learning(attempt: (caps: Caps) => Attempt, first: Attempt, lower: Lesson): Attempt {
  const caps: Caps = new Map();
  let last = first;
  for (let round = 1; last.cut.length > 0; round++) {
    const lesson = round < MAX_ROUNDS ? lower : forgo;
    lesson(caps, last);
    last = attempt(caps);
  }
  return last;
}

/** Whether pods go without a place for want of room that others of lower priority get. */
function isUnfair({ assigned, packing }: Attempt): boolean {
  if (packing.unplaced.size === 0 && assigned.unassigned.size === 0) return false;
  const onNodes = [...assigned.placed.values()].flatMap((counts) => [...counts.keys()]);
  const onDrafts = packing.packingState.newNodes.flatMap(({ podCounts }) => [...podCounts.keys()]);
  const left = [...packing.unplaced.keys()].map(({ cls }) => cls);
  return (
    isPriorityInverted(left, [...onNodes, ...onDrafts.map(({ cls }) => cls)]) ||
    isPriorityInverted(assigned.unassigned.keys(), onNodes)
  );
}

function betterOf(better: Attempt, next: Attempt): Attempt {
  const [a, b] = [solutionOf(next), solutionOf(better)];
  const order = next.reading.byPriority
    ? compareUnplacedByPriority(a.unplaced, b.unplaced)
    : podsUnplaced(a) - podsUnplaced(b);
  return order < 0 || (order === 0 && isCheaper(a.costUsd, b.costUsd)) ? next : better;
}

const isShort = (attempt: Attempt): boolean => podsUnplaced(solutionOf(attempt)) > 0;

const podsUnplaced = ({ unplaced }: Solution): number =>
  [...unplaced.values()].reduce((total, pods) => total + pods, 0);

function solutionOf({ assigned, packing, waiting }: Attempt): Solution {
  const { placed, unassigned, topology } = assigned;
  const { packingState, unplaced: left, deferred, costUsd } = packing;
  const unplaced = new Map(unassigned);
  for (const [{ cls }, count] of [...left, ...deferred])
    unplaced.set(cls, (unplaced.get(cls) ?? 0) + count);
  return { placed, drafts: packingState.newNodes, unplaced, waiting, costUsd, topology };
}
