import { describe, expect, it } from 'vitest';
import { computeFleetBound } from '../../shared/scheduling/packing/bounds/fleet-bound.ts';
import { readBundle } from './bundle.ts';
import { evaluateCase } from './case-result.ts';
import { caseSchema } from './case-schema.ts';
import { toSnapshot } from './read-case.ts';
import { toWrittenPlan } from './written-plan.ts';

const { cases, catalogs } = readBundle(
  new URL('./data/scheduling.json.gz', import.meta.url),
  caseSchema,
);
/** Prices are sums of many numbers, so the last digits differ. */
const ROUNDING = 1 + 1e-9;

describe('scheduling compared with Karpenter 1.14.1', () => {
  it.each(cases)('$name: the plan is valid, places as many pods and costs no more', (vector) => {
    const snapshot = toSnapshot(vector, catalogs);
    const { plan, why } = evaluateCase(vector, snapshot);

    expect(why).toEqual([]);
    expect(toWrittenPlan(snapshot, plan)).toMatchObject({ totalPrice: plan.hourlyUsd });
  });

  it('gives a lower bound that no recorded decision undercuts', () => {
    for (const vector of cases) {
      const { stability, unschedulable } = vector.expected;
      // The bound does not cover free capacity on existing nodes, or unplaced pods.
      if (vector.nodes.length > 0 || Object.keys(unschedulable).length > 0) continue;
      const bound = computeFleetBound(toSnapshot(vector, catalogs));

      expect(bound, vector.name).toBeLessThanOrEqual(stability.totalPrice.min * ROUNDING);
    }
  });
});
