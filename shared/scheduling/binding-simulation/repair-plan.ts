import type { AssignedBatch } from '../assignment/assign-batch.ts';
import { type Foreseen, isForeseeable } from '../karpenter/foresee.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { isClean, type Trial, tryOut } from './evaluation/evaluate-packing.ts';
import { type Theatre, theatreOf } from './evaluation/simulation-context.ts';
import { ceilingUsd, mostLeftOf } from './price-ceiling.ts';
import { mended, trimmed } from './search/local-search.ts';
import { type Line, linesOf } from './search/search-starts.ts';
import { annealedFromSeveral } from './search/simulated-annealing.ts';

/**
 * Pods times nodes, which binding pods one by one costs: beyond it the cheapest packing stands. Of many
 * pods those that are displaced are a small part, which the next plan gives a node.
 */
const MOST_STEPS = 60_000;

/** How many packings are mended, the most promising first. */
const MENDED = 6;

/** Of the effort; the rest is for what mending does not come to. */
const MENDING_SHARE = 0.5;

/**
 * Looks for a packing whose pods all find a node although kube-scheduler spreads them as it likes.
 * Packings are made in several ways and rehearsed in several orders of their pods; where pods are
 * displaced, room is made for them. What it costs to be displaced is weighed against the price.
 *
 * @param foreseen - what Karpenter would make of the batch; empty: nobody can tell
 */
export function hardened(
  assigned: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
  foreseen: readonly Foreseen[],
): Packing {
  if (!isWorthRehearsing(assigned, plain, classes)) return plain;
  const mostUsd = ceilingUsd(assigned, plain, classes, foreseen);
  const mostLeft = mostLeftOf(assigned, plain, classes, foreseen);
  const theatre = theatreOf(assigned, plain, classes, mostUsd, mostLeft);
  const start = tryOut(theatre, plain);
  if (!start || isClean(start)) return plain;

  const lines = linesOf(theatre, assigned, { units: assigned.units, trial: start });
  const mendedOnes = theatre.budget.withShare(MENDING_SHARE, () =>
    lines.slice(0, MENDED).flatMap((line) => mendedWays(theatre, line)),
  );
  return annealedFromSeveral(theatre, [...lines, ...mendedOnes]);
}

/** What mending a packing comes to, as far as it is not too dear. */
function mendedWays(theatre: Theatre, line: Line): Line[] {
  return waysToMend(theatre, line).map((trial) => ({ ...line, trial }));
}

function waysToMend(theatre: Theatre, { units, trial }: Line): Trial[] {
  const { mostUsd } = theatre;
  const found = mended(theatre, trial, units, mostUsd);
  if (found.some(isClean)) return found;
  const beyond = mended(theatre, trial, units, mostUsd * BEYOND).find(isClean);
  const slim = beyond && trimmed(theatre, beyond);
  return slim && slim.packing.hourlyUsd <= mostUsd ? [...found, slim] : found;
}

/** What a packing may cost more than it may at last, for some of it can be taken away again. */
const BEYOND = 1.15;

/** A single class has nobody to displace it, and what may be spent has to be foreseen. */
function isWorthRehearsing(
  { problem, units }: AssignedBatch,
  { drafting }: Packing,
  classes: readonly PodClass[],
): boolean {
  if (units.length === 0 || classes.length < 2 || !isForeseeable(problem, classes)) return false;
  const pods = classes.reduce((total, cls) => total + cls.pods.length, 0);
  const nodes = drafting.drafts.length + problem.bins.length;
  return pods * nodes <= MOST_STEPS;
}
