import { packFirstFit } from '../packing/first-fit.ts';
import { cheapestNodeUsd } from '../packing/node-offers.ts';
import { packEvenly } from '../packing/pack-evenly.ts';
import { type Packing, pack } from '../packing/packing.ts';
import type { AssignedBatch } from '../solve.ts';

/** How much dearer than the cheapest packing one may be that holds better. */
const MOST_DEARER = 3;

/** The share of what Karpenter's way would cost that may be spent: our estimate of it is a little off. */
const KEPT = 0.94;

/** Karpenter's own runs differ by a little luck. */
const RUNS = [undefined, 1, 2];

/**
 * The most that a packing may cost, in USD per hour: less than Karpenter's way of packing would,
 * however well it holds, no more than a node for each pod, and not several times the cheapest.
 */
export function ceilingUsd({ problem, units }: AssignedBatch, plain: Packing): number {
  const runs = [...RUNS.map(packEvenly), packFirstFit]
    .map((construct) => pack(problem, units, construct))
    .filter(({ leftPods }) => leftPods <= plain.leftPods)
    .map(({ hourlyUsd }) => hourlyUsd * KEPT);
  const nodeEach = units.reduce(
    (all, unit) => all + unit.count * cheapestNodeUsd(unit, problem),
    0,
  );
  const most = Math.min(plain.hourlyUsd * MOST_DEARER, nodeEach, ...runs);
  return Math.max(plain.hourlyUsd, most) * ROUNDING;
}

/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;
