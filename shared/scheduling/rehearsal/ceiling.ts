import type { Foreseen } from '../karpenter/foresee.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { AssignedBatch } from '../solve.ts';

/** The share of what Karpenter would pay that may be spent: it has luckier runs than those seen. */
const KEPT = 0.99;

/** How much dearer than the cheapest packing, where that is not foreseen. */
const MOST_DEARER = 3;

/**
 * The most that a packing may cost, in USD per hour: less than Karpenter would pay for as many pods,
 * however well it holds.
 */
export function ceilingUsd(
  { stuck }: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
  foreseen: readonly Foreseen[],
): number {
  const unplaced = [...stuck.values()].reduce((total, pods) => total + pods, plain.leftPods);
  const placed = classes.reduce((total, { pods }) => total + pods.length, -unplaced);
  const alike = foreseen.filter(({ pods }) => pods >= placed);
  const most =
    alike.length > 0
      ? Math.min(...alike.map(({ hourlyUsd }) => hourlyUsd)) * KEPT
      : plain.hourlyUsd * MOST_DEARER;
  return Math.max(plain.hourlyUsd, most) * ROUNDING;
}

/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;
