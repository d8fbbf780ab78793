import { settleLimits } from '../limits/settle-limits.ts';
import { compareMissing, type Missing } from '../pods/priorities.ts';
import type { Problem } from '../problem.ts';
import { isSmall } from './batch-size.ts';
import { packByPrice } from './best-price.ts';
import { byPriority } from './by-priority.ts';
import { cheapestType, type Drafting, startDrafting } from './drafts.ts';
import { joinOpenDrafts, packFirstFit } from './first-fit.ts';
import { packByResources } from './pack-by-resources.ts';
import { packEvenly } from './pack-evenly.ts';
import { packReserved, type ReservedMode } from './pack-reserved.ts';
import type { Unit } from './units.ts';

/** Nodes for a batch's units, found by one construction. */
export interface Packing {
  readonly drafting: Drafting;
  /** Pods that found no node, on the construction's own copies of the units. */
  readonly left: ReadonlyMap<Unit, number>;
  /** Pods that wait for the next plan. */
  readonly deferred: ReadonlyMap<Unit, number>;
  /** How many both are. */
  readonly leftPods: number;
  /** Of the cheapest offerings, in USD per hour. */
  readonly hourlyUsd: number;
  /** The same with what nodes cost beside their instance: what packings are compared by. */
  readonly costUsd: number;
}

export type Construction = (drafting: Drafting, units: readonly Unit[]) => void;

/** Karpenter's way is the floor where few kinds of pods are packed; where many mix it never wins. */
const FOR_PLAIN: readonly Construction[] = [packFirstFit];
const PLAIN_UNITS = 100;

/** Remainders are better judged node by node. */
const FOR_SMALL: readonly Construction[] = [packByPrice];

/** Pod by pod, it is the floor again where prices hardly tell types apart; work grows with nodes. */
const FOR_FEW: readonly Construction[] = [packEvenly];
const FEW_PODS = 200;

/**
 * The cheapest packing of those that place most.
 *
 * @param inTurns - whether pods of lower priority get only what the others leave */
export function cheapestPacking(
  problem: Problem,
  units: readonly Unit[],
  reserved: ReservedMode = 'fallback',
  inTurns = false,
): Packing {
  const packWith = (construct: Construction) =>
    pack(problem, units, inTurns ? byPriority(construct) : construct, reserved);
  // Large batches are priced right by the linear programme, which knows nothing of devices.
  const packings = [packWith(packByResources)];
  const pods = countOf(units);
  const isOdd = isSmall(pods) || problem.devices !== undefined;
  // Limits that cut pods short make a small batch of a large one.
  if (isOdd || units.length <= PLAIN_UNITS || packings.every(isCutShort)) {
    packings.push(...FOR_PLAIN.map(packWith));
  }
  if (isOdd || packings.every(isCutShort)) packings.push(...FOR_SMALL.map(packWith));
  if (pods <= FEW_PODS) packings.push(...FOR_FEW.map(packWith));
  const worse = inTurns ? worseForPriorities : worseForNumbers;
  return packings.reduce((best, next) => {
    const order = worse(next, best);
    return order < 0 || (order === 0 && isCheaper(next.costUsd, best.costUsd)) ? next : best;
  });
}

const isCutShort = ({ leftPods }: Packing): boolean => leftPods > 0;

const worseForNumbers = (a: Packing, b: Packing): number => a.leftPods - b.leftPods;

const worseForPriorities = (a: Packing, b: Packing): number =>
  compareMissing(missingOf(a), missingOf(b));

const missingOf = ({ left, deferred }: Packing): Missing =>
  [...left, ...deferred].map(([{ cls }, pods]) => [cls, pods]);

/** By more than what rounding makes. */
export const isCheaper = (usd: number, thanUsd: number): boolean => usd < thanUsd * (1 - 1e-9);

export function pack(
  problem: Problem,
  units: readonly Unit[],
  construct: Construction,
  reserved: ReservedMode = 'fallback',
): Packing {
  const drafting = startDrafting(problem, countOf(units));
  // Constructions count pods down, each on its own copy.
  const { units: copies, deferred } = packReserved(
    drafting,
    units.map((unit) => ({ ...unit })),
    reserved,
  );
  construct(
    drafting,
    copies.filter(({ count }) => count > 0),
  );
  for (const unit of copies) joinOpenDrafts(drafting, unit);
  settleLimits(drafting);

  const left = new Map(copies.filter(({ count }) => count > 0).map((unit) => [unit, unit.count]));
  const leftPods = [...left.values(), ...deferred.values()].reduce((all, count) => all + count, 0);
  return { drafting, left, deferred, leftPods, ...costOf(drafting) };
}

const countOf = (units: readonly Unit[]): number =>
  units.reduce((total, { count }) => total + count, 0);

export function costOf({ drafts, problem }: Drafting): Pick<Packing, 'hourlyUsd' | 'costUsd'> {
  const hourlyUsd = drafts.reduce(
    (total, draft) => total + cheapestType(draft, problem).hourlyUsd,
    0,
  );
  return { hourlyUsd, costUsd: hourlyUsd + drafts.length * problem.perNodeUsd };
}
