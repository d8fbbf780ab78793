import { packByPrice } from '../packing/best-price.ts';
import { packFirstFit } from '../packing/first-fit.ts';
import { gatherings } from '../packing/gathered.ts';
import { cheapestNodeUsd } from '../packing/node-offers.ts';
import { packEvenly } from '../packing/pack-evenly.ts';
import { type Construction, type Packing, pack } from '../packing/packing.ts';
import { packWithSpares } from '../packing/spare-room.ts';
import type { Unit } from '../packing/units.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { AssignedBatch } from '../solve.ts';
import { grownTrials, sparesFor } from './repairs.ts';
import { isClean, type Theatre, type Trial, theatreOf, tryOut } from './trials.ts';

/** Per-node costs, in USD per hour, to pack as if under: each gives fewer and larger nodes. */
const AS_IF_USD = [0.02, 0.05, 0.15, 0.5, 2];

/** How much dearer than the cheapest packing one may be that holds better. */
const MOST_DEARER = 1.5;

/** The share of the price of Karpenter's way of packing that may be spent at most. */
const KEPT = 0.94;

/** Binding pods one by one costs pods times nodes: beyond this, the cheapest packing stands. */
const MOST_STEPS = 60_000;

/** How many packings are mended, the most promising first, and how often each. */
const MENDED = 4;
const MENDINGS = 8;

/** A packing that may be packed again with room for more. */
interface Line {
  readonly units: readonly Unit[];
  readonly construct: Construction;
  readonly trial: Trial;
}

/**
 * Looks for a packing whose pods all find a node although kube-scheduler spreads them as it likes.
 * Packings are made in several ways and rehearsed in several orders of their pods; where pods are
 * displaced, room is made for them. What it costs to be displaced is weighed against the price, and
 * no plan becomes dearer than one that Karpenter's way of packing would give.
 */
export function hardened(
  assigned: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
): Packing {
  const { problem, units } = assigned;
  if (!isWorthRehearsing(assigned, plain, classes)) return plain;
  const theatre = theatreOf(assigned, plain, classes);
  const mostUsd = ceilingUsd(assigned, plain);
  const isAllowed = ({ packing }: Trial) =>
    packing.leftPods <= plain.leftPods && packing.hourlyUsd <= mostUsd * (1 + 1e-9);

  const lines = gatherings(problem, units).flatMap((gathered) =>
    CONSTRUCTIONS.map((construct): Line => {
      const trial = tryOut(theatre, pack(problem, gathered, construct));
      return { units: gathered, construct, trial };
    }),
  );
  const promising = lines
    .filter(({ trial }) => isAllowed(trial))
    .toSorted((a, b) => a.trial.costUsd - b.trial.costUsd);
  const trials = promising.slice(0, MENDED).flatMap((line) => mended(theatre, line, isAllowed));
  return [...promising.map(({ trial }) => trial), ...trials].reduce(
    (best, trial) => (trial.costUsd < best.costUsd ? trial : best),
    tryOut(theatre, plain),
  ).packing;
}

const CONSTRUCTIONS: readonly Construction[] = [
  packByPrice,
  packFirstFit,
  packEvenly,
  ...AS_IF_USD.map(
    (usd): Construction =>
      (drafting, units) =>
        packByPrice(drafting, units, usd),
  ),
];

/**
 * A single class has nobody to displace it; reserved capacity is not packed twice, and who gets
 * which device is not rehearsed.
 */
function isWorthRehearsing(
  { problem, units }: AssignedBatch,
  { drafting }: Packing,
  classes: readonly PodClass[],
): boolean {
  if (units.length === 0 || classes.length < 2) return false;
  if (problem.reservations || problem.devices) return false;
  const pods = classes.reduce((total, cls) => total + cls.pods.length, 0);
  return pods * (drafting.drafts.length + problem.bins.length) <= MOST_STEPS;
}

/**
 * The most that a packing may cost: part of what packing by price saves is kept, against Karpenter's
 * way as well as against a node for each pod.
 */
function ceilingUsd({ problem, units }: AssignedBatch, plain: Packing): number {
  const references = [packFirstFit, packEvenly]
    .map((construct) => pack(problem, units, construct))
    .filter(({ leftPods }) => leftPods <= plain.leftPods)
    .map(({ hourlyUsd }) => hourlyUsd * KEPT);
  const nodeEach = units.reduce(
    (all, unit) => all + unit.count * cheapestNodeUsd(unit, problem),
    0,
  );
  const most = Math.min(plain.hourlyUsd * MOST_DEARER, nodeEach, ...references);
  return Math.max(plain.hourlyUsd, most);
}

/** Packs again and again with room for those that were displaced, and tries larger types as well. */
function mended(
  theatre: Theatre,
  { units, construct, trial }: Line,
  isAllowed: (trial: Trial) => boolean,
): Trial[] {
  const trials: Trial[] = [];
  const spares = new Map<Unit, number>();
  let last = trial;
  for (let mending = 0; mending < MENDINGS && !isClean(last); mending++) {
    trials.push(...grownTrials(theatre, last, isAllowed));
    for (const [unit, pods] of sparesFor(last, units)) {
      spares.set(unit, (spares.get(unit) ?? 0) + pods);
    }
    const packing = packWithSpares(theatre.problem, units, spares, construct);
    if (!packing) break;
    last = tryOut(theatre, packing);
    if (!isAllowed(last)) break;
    trials.push(last);
  }
  return trials;
}
