import { foresee } from '../karpenter/foresee.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { AssignedBatch } from '../solve.ts';

/** The share of what Karpenter would pay that may be spent: it has luckier runs than those seen. */
const KEPT = 0.99;

/** Of so many runs the cheapest is hardly ever more than 1 % above the cheapest that there is. */
const RUNS = 12;

/** How much dearer than the cheapest packing, where Karpenter would leave pods without a place. */
const MOST_DEARER = 3;

/**
 * The most that a packing may cost, in USD per hour: less than Karpenter would pay for as many pods,
 * however well it holds.
 */
export function ceilingUsd(
  { problem, moving, stuck }: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
): number {
  const unplaced = [...stuck.values()].reduce((total, pods) => total + pods, plain.leftPods);
  const placed = classes.reduce((total, { pods }) => total + pods.length, -unplaced);
  const foreseen = foresee(problem, classes, moving, RUNS).filter(({ pods }) => pods >= placed);
  const most =
    foreseen.length > 0
      ? Math.min(...foreseen.map(({ hourlyUsd }) => hourlyUsd)) * KEPT
      : plain.hourlyUsd * MOST_DEARER;
  return Math.max(plain.hourlyUsd, most) * ROUNDING;
}

/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;
