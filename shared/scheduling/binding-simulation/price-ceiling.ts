import type { AssignedBatch } from '../assignment/assign-batch.ts';
import type { KarpenterRun } from '../karpenter-price/simulate-karpenter.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/**
 * Share of Karpenter's simulated price that a plan may cost: real runs of Karpenter are sometimes
 * cheaper than the simulated ones.
 */
const KARPENTER_PRICE_SHARE = 0.99;

/**
 * Ceiling as a multiple of the cheapest packing, also where Karpenter pays more: a pod that finds no
 * place costs one more launch, never a multiple of the plan.
 */
const MAX_PRICE_FACTOR = 3;

/**
 * Computes the maximum price of a repaired packing, in USD per hour: below Karpenter's price for at
 * least as many pods and a multiple of the cheapest packing, or the price of the cheapest packing if that is
 * higher.
 */
export function computePriceCeilingUsd(
  assigned: AssignedBatch,
  baseline: Packing,
  classes: readonly PodClass[],
  karpenterRuns: readonly KarpenterRun[],
): number {
  const { placed } = countPods(assigned, baseline, classes);
  const karpenterUsd = karpenterRuns
    .filter(({ pods }) => pods >= placed)
    .map(({ hourlyUsd }) => hourlyUsd * KARPENTER_PRICE_SHARE);
  const maxUsd = Math.min(...karpenterUsd, computeMaxUsd(baseline));
  return Math.max(baseline.hourlyUsd, maxUsd) * ROUNDING;
}

/** True if a plan that binds may be chosen for its price: the same limit for Karpenter's plan and repaired ones. */
export const isAffordable = (packing: Packing, baseline: Packing): boolean =>
  packing.hourlyUsd <= computeMaxUsd(baseline);

const computeMaxUsd = ({ hourlyUsd }: Packing): number => hourlyUsd * MAX_PRICE_FACTOR;

/** Prices are sums of many terms; the tolerance absorbs rounding errors. */
const ROUNDING = 1 + 1e-9;

/**
 * Computes how many pods a packing may leave unplaced. If limits leave pods unplaced anyway, a
 * repair may leave more: a pod without a planned node cannot be displaced. The plan still places
 * more pods than Karpenter.
 */
export function computeMaxUnplacedPods(
  assigned: AssignedBatch,
  baseline: Packing,
  classes: readonly PodClass[],
  karpenterRuns: readonly KarpenterRun[],
): number {
  const { placed, unplaced } = countPods(assigned, baseline, classes);
  if (karpenterRuns.length === 0 || unplaced === 0) return baseline.unplacedPods;
  const karpenterPods = Math.max(...karpenterRuns.map(({ pods }) => pods));
  return baseline.unplacedPods + Math.max(0, placed - karpenterPods - 1);
}

/** Counts the pods of the batch that the packing places, and those that it does not. */
function countPods({ unassigned }: AssignedBatch, baseline: Packing, classes: readonly PodClass[]) {
  const unplaced = [...unassigned.values()].reduce((total, pods) => total + pods, baseline.unplacedPods);
  const placed = classes.reduce((total, { pods }) => total + pods.length, -unplaced);
  return { placed, unplaced };
}
