import { describe, expect, it } from 'vitest';
import { lowerBoundHourlyUsd } from '../../shared/scheduling/lower-bound.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { readBundle } from './bundle.ts';
import { caseSchema } from './case-schema.ts';
import { checkPlan, placedPods } from './check-plan.ts';
import { OUT_OF_SCOPE, TOPICS } from './out-of-scope.ts';
import { snapshotOf } from './read-case.ts';

const { cases, catalogs } = readBundle(
  new URL('./data/scheduling.json.gz', import.meta.url),
  caseSchema,
);
const compared = cases.filter(({ name }) => !(name in OUT_OF_SCOPE));

/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;

describe('the decisions of Karpenter 1.14.1 are a floor', () => {
  it.each(compared)('$name: the plan is valid, places as many pods, costs no more', (vector) => {
    const snapshot = snapshotOf(vector, catalogs);
    const { scheduledPods, totalPrice } = vector.expected.stability;

    const plan = planProvisioning(snapshot, 'decision-1');

    expect(checkPlan(snapshot, plan)).toEqual([]);
    expect(placedPods(plan)).toBeGreaterThanOrEqual(scheduledPods.min);
    // More pods may cost more; only equal work has one price.
    if (placedPods(plan) <= scheduledPods.max) {
      expect(plan.hourlyUsd).toBeLessThanOrEqual(totalPrice.max * ROUNDING);
    }
  });

  it('no decision of the reference costs less than the lower bound', () => {
    for (const vector of compared) {
      const { stability, unschedulable } = vector.expected;
      // Nodes that run hold pods for nothing here, and pods that are refused cost nothing.
      if (vector.nodes.length > 0 || Object.keys(unschedulable).length > 0) continue;
      const bound = lowerBoundHourlyUsd(snapshotOf(vector, catalogs));

      expect(bound, vector.name).toBeLessThanOrEqual(stability.totalPrice.min * ROUNDING);
    }
  });

  it.each(Object.entries(OUT_OF_SCOPE))('%s is left out: %s', (name, reason) => {
    const vector = cases.find((one) => one.name === name);

    expect(vector && TOPICS[reason](vector)).toBe(true);
  });
});
