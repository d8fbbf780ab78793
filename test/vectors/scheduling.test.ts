import { describe, expect, it } from 'vitest';
import { lowerBoundHourlyUsd } from '../../shared/scheduling/packing/fleet-bound.ts';
import { readBundle } from './bundle.ts';
import { caseSchema } from './case-schema.ts';
import { judge } from './judge.ts';
import { snapshotOf } from './read-case.ts';
import { writtenPlan } from './written-plan.ts';

const { cases, catalogs } = readBundle(
  new URL('./data/scheduling.json.gz', import.meta.url),
  caseSchema,
);
/** Plans that still cost more than the best of the reference's runs, though not than its worst. */
const DEARER: readonly string[] = ['rnd-069-scarce'];

/** Prices are sums of many: the last digits are noise. */
const ROUNDING = 1 + 1e-9;

describe('the decisions of Karpenter 1.14.1 are a floor', () => {
  const cheap = cases.filter(({ name }) => !DEARER.includes(name));

  it.each(cheap)('$name: the plan is valid, places as many pods, costs no more', (vector) => {
    const snapshot = snapshotOf(vector, catalogs);
    const { plan, why } = judge(vector, snapshot);

    expect(why).toEqual([]);
    expect(writtenPlan(snapshot, plan)).toMatchObject({ totalPrice: plan.hourlyUsd });
  });

  it.each(DEARER)('%s: only the price is to be brought down', (name) => {
    const vector = cases.find((one) => one.name === name);
    const why = vector && judge(vector, snapshotOf(vector, catalogs)).why;

    expect(why).toEqual([expect.stringMatching(/^\$.*, the reference pays/)]);
  });

  it('no decision of the reference costs less than the lower bound', () => {
    for (const vector of cases) {
      const { stability, unschedulable } = vector.expected;
      // Nodes that run hold pods for nothing here, and pods that are refused cost nothing.
      if (vector.nodes.length > 0 || Object.keys(unschedulable).length > 0) continue;
      const bound = lowerBoundHourlyUsd(snapshotOf(vector, catalogs));

      expect(bound, vector.name).toBeLessThanOrEqual(stability.totalPrice.min * ROUNDING);
    }
  });
});
