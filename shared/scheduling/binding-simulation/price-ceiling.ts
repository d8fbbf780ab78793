import type { AssignedBatch } from '../assignment/assign-batch.ts';
import type { Foreseen } from '../karpenter/foresee.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/** The share of what Karpenter would pay that may be spent: it has luckier runs than those seen. */
const KEPT = 0.99;

/** How much dearer than the cheapest packing, where that is not foreseen. */
const MOST_DEARER = 3;

/**
 * The most that a packing may cost, in USD per hour: less than Karpenter would pay for as many pods,
 * however well it holds.
 */
export function ceilingUsd(
  assigned: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
  foreseen: readonly Foreseen[],
): number {
  const { placed } = podsOf(assigned, plain, classes);
  const alike = foreseen.filter(({ pods }) => pods >= placed);
  const most =
    alike.length > 0
      ? Math.min(...alike.map(({ hourlyUsd }) => hourlyUsd)) * KEPT
      : plain.hourlyUsd * MOST_DEARER;
  return Math.max(plain.hourlyUsd, most) * ROUNDING;
}

/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;

/**
 * How many pods a packing may leave. Where limits leave pods out anyway, some more may be: who is
 * promised nothing cannot be displaced. Still more than Karpenter would place keep their promise.
 */
export function mostLeftOf(
  assigned: AssignedBatch,
  plain: Packing,
  classes: readonly PodClass[],
  foreseen: readonly Foreseen[],
): number {
  const { placed, unplaced } = podsOf(assigned, plain, classes);
  if (foreseen.length === 0 || unplaced === 0) return plain.leftPods;
  const theirs = Math.max(...foreseen.map(({ pods }) => pods));
  return plain.leftPods + Math.max(0, placed - theirs - 1);
}

/** How many pods of the batch have a place, and how many have none. */
function podsOf({ stuck }: AssignedBatch, plain: Packing, classes: readonly PodClass[]) {
  const unplaced = [...stuck.values()].reduce((total, pods) => total + pods, plain.leftPods);
  const placed = classes.reduce((total, { pods }) => total + pods.length, -unplaced);
  return { placed, unplaced };
}
