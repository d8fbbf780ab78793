import { describe, expect, it } from 'vitest';
import {
  bindsCompletely,
  evaluatePacking,
  findCheapestInAllOrders,
} from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { createSimulationRuns } from '../../../../shared/scheduling/binding-simulation/evaluation/simulation-runs.ts';
import { aCluster, createPods, createStepTypes, OS, requesting } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

it('evaluatePacking distinguishes nodes of one type by the value that their pods require for an open label', () => {
  const requests = requesting(1.5, 1);
  const pods = ['linux', 'windows'].flatMap((system) =>
    createPods(3, system, { requests, nodeSelector: { [OS]: system } }),
  );

  const { evaluated } = packAndEvaluate(aCluster({ types: createStepTypes(8), pods }));

  expect(evaluated.nodes.map(({ kind }) => kind.labels[OS])).toEqual(['linux', 'windows']);
  expect(bindsCompletely(evaluated)).toBe(true);
});

const { context, evaluated } = packAndEvaluate(
  aCluster({
    types: createStepTypes(16),
    pods: [
      ...createPods(12, 'small', { requests: requesting(0.5, 1) }),
      ...createPods(3, 'large', { requests: requesting(6, 3) }),
    ],
  }),
);
const { packing } = evaluated;

describe('evaluatePacking with estimates', () => {
  // Another list of orders, so that no result is cached.
  const anew = { ...context, cachedResults: new Map() };
  const visitsFor = (maxCostUsd: number, estimates: boolean): number => {
    anew.cachedResults.clear();
    const before = anew.budget.remaining();
    evaluatePacking(anew, packing, maxCostUsd, evaluated, estimates);
    return before - anew.budget.remaining();
  };

  it('refuses a packing after one order if the others are expected to cost too much', () => {
    const slightlyLess = evaluated.costUsd * 0.99;
    const evaluate = (estimates: boolean) => evaluatePacking(anew, packing, slightlyLess, evaluated, estimates);

    expect(evaluate(true)).toBeUndefined();
    expect(evaluate(false)).toBeUndefined();
    expect(visitsFor(slightlyLess, true)).toBeLessThan(visitsFor(slightlyLess, false));
  });

  it('accepts a packing that costs no more than is allowed', () => {
    expect(evaluatePacking(anew, packing, evaluated.costUsd, evaluated, true)?.costUsd).toBeCloseTo(
      evaluated.costUsd,
      9,
    );
  });
});

describe('findCheapestInAllOrders', () => {
  const expensive = { ...evaluated, packing: { ...packing, costUsd: 1e6 }, costUsd: 1e6 };

  it('adds the penalties of every order to the cost of the packing', () => {
    const runs = createSimulationRuns(context, packing);
    for (let number = 0; number < runs.orders; number++) runs.run(number);

    expect(runs.costUsd()).toBeGreaterThan(packing.costUsd);
    expect(findCheapestInAllOrders(context, [evaluated])).toEqual({
      packing,
      costUsd: runs.costUsd(),
    });
  });

  it('simulates no order of a packing that costs more than the best one', () => {
    const visitsFor = (...results: (typeof evaluated)[]): number => {
      const before = context.budget.remaining();
      expect(findCheapestInAllOrders(context, results)?.packing).toBe(packing);
      return before - context.budget.remaining();
    };
    // The first call fills the cache of the orders that do not depend on the plan.
    visitsFor(evaluated);

    expect(visitsFor(expensive, evaluated)).toBe(visitsFor(evaluated));
  });
});
