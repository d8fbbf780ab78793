import type { AssignedBatch } from '../assign-batch.ts';
import { type Foreseen, isForeseeable } from '../karpenter/foresee.ts';
import { packByPrice } from '../packing/best-price.ts';
import { packFirstFit } from '../packing/first-fit.ts';
import { gatherings } from '../packing/gathered.ts';
import { packEvenly } from '../packing/pack-evenly.ts';
import { type Construction, type Packing, pack } from '../packing/packing.ts';
import type { Unit } from '../packing/units.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { annealed } from './annealing.ts';
import { ceilingUsd, mostLeftOf } from './ceiling.ts';
import { mended, trimmed } from './mending.ts';
import {
  isClean,
  isExhausted,
  type Theatre,
  type Trial,
  theatreOf,
  tryOut,
  upToDate,
  withShare,
} from './trials.ts';

/** Per-node costs, in USD per hour, to pack as if under: each gives fewer and larger nodes. */
const AS_IF_USD = [0.02, 0.05, 0.15, 0.5, 2];

/**
 * Pods times nodes, which binding pods one by one costs: beyond it the cheapest packing stands. Of many
 * pods those that are displaced are a small part, which the next plan gives a node.
 */
const MOST_STEPS = 60_000;

/** How many packings are mended, the most promising first. */
const MENDED = 6;

/** Of the effort; the rest is for what mending does not come to. */
const MENDING_SHARE = 0.5;

/** A packing, and the units that it was made of. */
interface Line {
  readonly units: readonly Unit[];
  readonly trial: Trial;
}

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
  const mostLeft = mostLeftOf(assigned, plain, classes, foreseen);
  const theatre = theatreOf(assigned, plain, classes, mostLeft);
  const start = tryOut(theatre, plain);
  if (!start || isClean(start)) return plain;

  const mostUsd = ceilingUsd(assigned, plain, classes, foreseen);
  const first = { units: assigned.units, trial: start };
  const lines = linesOf(theatre, assigned, first, mostUsd);
  const mendedOnes = withShare(theatre, MENDING_SHARE, () =>
    lines.slice(0, MENDED).flatMap((line) => mendedWays(theatre, line, mostUsd)),
  );
  const best = bestOf(theatre, [first, ...lines, ...mendedOnes]);
  return annealed(theatre, best.trial, best.units, mostUsd).packing;
}

/** The line that costs least in all orders that tell by now. */
function bestOf(theatre: Theatre, lines: readonly [Line, ...Line[]]): Line {
  const known: [Line, ...Line[]] = [...lines];
  for (;;) {
    const best = known.reduce((a, b) => (b.trial.costUsd < a.trial.costUsd ? b : a));
    const trial = upToDate(theatre, best.trial);
    if (trial === best.trial) return best;
    known[known.indexOf(best)] = { ...best, trial };
  }
}

/** Packings made in several ways, none too dear, the most promising first. */
function linesOf(
  theatre: Theatre,
  { problem, units }: AssignedBatch,
  start: Line,
  mostUsd: number,
): Line[] {
  const lines = [start];
  const rehearseIt = (packing: Packing, of: readonly Unit[]): void => {
    if (packing.leftPods > start.trial.packing.leftPods) return;
    const trial = tryOut(theatre, packing);
    if (trial) lines.push({ units: of, trial });
  };
  for (const gathered of gatherings(problem, units)) {
    for (const construct of CONSTRUCTIONS) {
      if (isExhausted(theatre)) break;
      const packing = pack(problem, gathered, construct);
      if (packing.hourlyUsd <= mostUsd) rehearseIt(packing, gathered);
    }
  }
  return lines.toSorted((a, b) => a.trial.costUsd - b.trial.costUsd);
}

const CONSTRUCTIONS: readonly Construction[] = [
  packFirstFit,
  packEvenly,
  ...AS_IF_USD.map(
    (usd): Construction =>
      (drafting, units) =>
        packByPrice(drafting, units, usd),
  ),
];

/** What mending a packing comes to, as far as it is not too dear. */
function mendedWays(theatre: Theatre, line: Line, mostUsd: number): Line[] {
  return waysToMend(theatre, line, mostUsd).map((trial) => ({ ...line, trial }));
}

function waysToMend(theatre: Theatre, { units, trial }: Line, mostUsd: number): Trial[] {
  const found = mended(theatre, trial, units, mostUsd);
  if (found.some(isClean)) return found;
  const beyond = mended(theatre, trial, units, mostUsd * BEYOND).find(isClean);
  const slim = beyond && trimmed(theatre, beyond, mostUsd);
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
