import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../shared/model/plans.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import type { VectorCase } from './case-schema.ts';
import { checkPlan, listPlacedPods } from './check-plan.ts';
import { computeReferenceResult } from './reference-result.ts';

/** What a planner made of a case, and whether that will do. */
export interface CaseResult {
  readonly case: string;
  readonly plan: ProvisioningPlan;
  /** What is wrong with it; nothing for a case that passes. */
  readonly why: readonly string[];
  /** In USD per hour; absent where other pods are placed than by the reference. */
  readonly price?: { readonly ours: number; readonly reference: number };
}

/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;
/** More would say the same again. */
const MAX_VIOLATIONS = 5;

/**
 * A case passes with at least as many pods placed as in the reference's best run, in a plan that the
 * checker accepts (which judges pods that the reference refused as well, and the weights of pools),
 * and at no higher price than the lowest of its runs where the same pods are placed.
 */
export function evaluateCase(vector: VectorCase, snapshot: ClusterSnapshot): CaseResult {
  const plan = planProvisioning(snapshot, 'decision-1');
  const { pods, hourlyUsd } = computeReferenceResult(vector);
  const placed = listPlacedPods(plan);
  const price =
    placed === pods && hourlyUsd !== undefined
      ? { ours: plan.hourlyUsd, reference: hourlyUsd }
      : undefined;
  return {
    case: vector.name,
    plan,
    ...(price ? { price } : {}),
    why: [
      ...shorten(checkPlan(snapshot, plan)),
      ...(placed < pods ? [`${placed} pods placed, the reference places ${pods}`] : []),
      ...(price && price.ours > price.reference * ROUNDING
        ? [`$${price.ours}/h, the reference pays $${price.reference}/h`]
        : []),
    ],
  };
}

const shorten = (objections: readonly string[]): string[] =>
  objections.length <= MAX_VIOLATIONS
    ? [...objections]
    : [
        ...objections.slice(0, MAX_VIOLATIONS),
        `${objections.length - MAX_VIOLATIONS} more objections`,
      ];
