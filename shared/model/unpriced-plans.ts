import type { DisruptionCommand, Fix, PlannedClaim, ProvisioningPlan } from './plans.ts';

/**
 * In a region without prices the planner compares weights (`ClusterSnapshot.unpriced`). They end here: 0 is
 * an unknown price in plans, launches and events, so that no reader takes a weight for dollars.
 */
export function hideWeights(plan: ProvisioningPlan): ProvisioningPlan {
  const { bound: _, ...unbounded } = plan;
  return {
    ...unbounded,
    claims: plan.claims.map(hideWeightsOfClaim),
    unplaced: plan.unplaced.map(({ fix, otherFixes, ...group }) => ({
      ...group,
      ...(fix && { fix: hideCost(fix) }),
      ...(otherFixes && { otherFixes: otherFixes.map(hideCost) }),
    })),
    hourlyUsd: 0,
  };
}

/** The saving and the price of the move are unknown too. */
export const hideWeightsOfCommand = ({ price: _, ...command }: DisruptionCommand): DisruptionCommand => ({
  ...command,
  replacements: command.replacements.map(hideWeightsOfClaim),
  savingHourlyUsd: 0,
});

const hideCost = (fix: Fix): Fix => ({ ...fix, hourlyUsd: 0 });

/** The next best type, and the zones and pools that were passed over, differ by weights only. */
const hideWeightsOfClaim = ({ nextBest: _, choice: __, ...planned }: PlannedClaim): PlannedClaim => ({
  ...planned,
  cheapest: { ...planned.cheapest, hourlyUsd: 0 },
});
