import { describe, expect, it } from 'vitest';
import { computeFleetBound } from '../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { readBundle } from './bundle.ts';
import { caseSchema } from './case-schema.ts';
import { evaluateCase } from './case-result.ts';
import { toSnapshot } from './read-case.ts';
import { toWrittenPlan } from './written-plan.ts';

const { cases, catalogs } = readBundle(
  new URL('./data/scheduling.json.gz', import.meta.url),
  caseSchema,
);
/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;

describe('the decisions of Karpenter 1.14.1 are a floor', () => {
  it.each(cases)('$name: the plan is valid, places as many pods, costs no more', (vector) => {
    const snapshot = toSnapshot(vector, catalogs);
    const { plan, why } = evaluateCase(vector, snapshot);

    expect(why).toEqual([]);
    expect(toWrittenPlan(snapshot, plan)).toMatchObject({ totalPrice: plan.hourlyUsd });
  });

  it('no decision of the reference costs less than the lower bound', () => {
    for (const vector of cases) {
      const { stability, unschedulable } = vector.expected;
      // Nodes that run hold pods for nothing here, and pods that are refused cost nothing.
      if (vector.nodes.length > 0 || Object.keys(unschedulable).length > 0) continue;
      const bound = computeFleetBound(toSnapshot(vector, catalogs));

      expect(bound, vector.name).toBeLessThanOrEqual(stability.totalPrice.min * ROUNDING);
    }
  });
});
