import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../shared/model/plans.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import type { VectorCase } from './case-schema.ts';
import { checkPlan, countPlacedPods } from './check-plan.ts';
import { computeReferenceResult } from './reference-result.ts';

export interface Compared {
  readonly ours: number;
  readonly reference: number;
}

/** The planner's result for a case, and whether it passes. */
export interface CaseResult {
  readonly case: string;
  readonly plan: ProvisioningPlan;
  /** The violations; empty if the case passes. */
  readonly why: readonly string[];
  /** In USD per hour; undefined if the reference places other pods. */
  readonly price?: Compared;
  /** New nodes; undefined if the reference places other pods. */
  readonly nodes?: Compared;
}

/** Prices are sums of many numbers, so the last digits differ. */
const ROUNDING = 1 + 1e-9;
/** More violations would only repeat the same problem. */
const MAX_VIOLATIONS = 5;

/**
 * A case passes if the plan places at least as many pods as the best run of the reference, if the
 * checker accepts it, and if it costs no more than the cheapest run that places the same pods.
 */
export function evaluateCase(vector: VectorCase, snapshot: ClusterSnapshot): CaseResult {
  const plan = planProvisioning(snapshot, 'decision-1');
  const { pods, hourlyUsd } = computeReferenceResult(vector);
  const placed = countPlacedPods(plan);
  const isComparable = placed === pods && hourlyUsd !== undefined;
  const price = isComparable ? { ours: plan.hourlyUsd, reference: hourlyUsd } : undefined;
  const nodes = { ours: plan.claims.length, reference: vector.expected.newNodeClaims.length };
  return {
    case: vector.name,
    plan,
    ...(price ? { price, nodes } : {}),
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
    : [...objections.slice(0, MAX_VIOLATIONS), `${objections.length - MAX_VIOLATIONS} more objections`];
