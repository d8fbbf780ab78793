import { describe, expect, it } from 'vitest';
import { assignBatch } from '../../../../shared/scheduling/assignment/assign-batch.ts';
import {
  bindsCompletely,
  evaluatePacking,
  refreshEvaluation,
} from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { createSimulationContext } from '../../../../shared/scheduling/binding-simulation/evaluation/simulation-context.ts';
import { createWorkBudget } from '../../../../shared/scheduling/binding-simulation/evaluation/work-budget.ts';
import {
  annealWithSeveralSeeds,
  simulatedAnnealing,
} from '../../../../shared/scheduling/binding-simulation/search/simulated-annealing.ts';
import { prepare } from '../../../../shared/scheduling/input/problem.ts';
import { packByPrice } from '../../../../shared/scheduling/packing/constructions/best-price.ts';
import { pack } from '../../../../shared/scheduling/packing/packing.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import { checkPlan } from '../../../vectors/check-plan.ts';
import { aCluster, createPods, createStepTypes, requesting } from '../../support/fixture.ts';
import { packAndEvaluate, podsByClass } from '../evaluated-packing.ts';

const cluster = aCluster({
  types: createStepTypes(64),
  pods: [
    ...createPods(20, 'small', { requests: requesting(0.5, 1) }),
    ...createPods(3, 'large', { requests: requesting(6, 3) }),
    ...createPods(4, 'rich', { requests: requesting(1, 9) }),
  ],
});

describe('simulatedAnnealing', () => {
  const { evaluated, podGroups, ...anyPrice } = packAndEvaluate(cluster);
  const maxHourlyUsd = evaluated.packing.hourlyUsd * 1.5;
  const limited = { ...anyPrice.context, maxHourlyUsd };
  const result = simulatedAnnealing(limited, evaluated, podGroups, 1);

  it('finds a packing that binds completely with the same pods', () => {
    expect(bindsCompletely(evaluated)).toBe(false);
    expect(result).toSatisfy(bindsCompletely);
    expect(podsByClass(result.packing.packingState)).toEqual(podsByClass(evaluated.packing.packingState));
  });

  it('finds a cheaper packing within the price ceiling', () => {
    expect(result.costUsd).toBeLessThan(refreshEvaluation(limited, evaluated).costUsd);
    expect(result.packing.hourlyUsd).toBeLessThanOrEqual(maxHourlyUsd);
  });

  it('returns a packing that binds completely unchanged', () => {
    expect(simulatedAnnealing(limited, result, podGroups, 1)).toBe(result);
  });

  it('returns the start if the work budget is exhausted', () => {
    expect(simulatedAnnealing({ ...limited, budget: createWorkBudget(0) }, evaluated, podGroups, 1)).toBe(evaluated);
  });

  it('makes the same random moves each time, so that equal clusters get equal plans', () => {
    const [plan, replanned] = [0, 1].map(() => planProvisioning(cluster, 'decision-1'));

    expect(replanned).toEqual(plan);
    if (plan) expect(checkPlan(cluster, plan)).toEqual([]);
  });
});

const { context, evaluated, podGroups } = packAndEvaluate(
  aCluster({
    types: createStepTypes(64),
    pods: [
      ...createPods(20, 'small', { requests: requesting(0.5, 1) }),
      ...createPods(3, 'large', { requests: requesting(6, 3) }),
      ...createPods(4, 'rich', { requests: requesting(1, 9) }),
    ],
  }),
);
const { packing } = evaluated;

describe('the work budget of the search', () => {
  const prepareWithin = (operations: number) => {
    const assigned = assignBatch(prepare(cluster), cluster.pods);
    const { problem, podGroups } = assigned;
    const classes = [...new Set(podGroups.map(({ cls }) => cls))];
    const packing = pack(problem, podGroups, packByPrice);
    return problem.work.tryWithin(operations, () => createSimulationContext(assigned, packing, classes, Infinity))
      ?.budget;
  };

  it('leaves enough of the work meter to compare the results, which would else be lost', () => {
    const [small, large, larger] = [3_000, 1_000_000, 500_000_000].map(prepareWithin);

    expect(small?.isExhausted()).toBe(true);
    expect(large?.remaining()).toBeGreaterThan(0);
    expect(larger?.remaining()).toBeGreaterThan(large?.remaining() ?? 0);
  });
});

describe('annealWithSeveralSeeds', () => {
  it('returns a packing that binds completely with all pods of the start', () => {
    const maxHourlyUsd = packing.hourlyUsd * 1.5;
    const result = annealWithSeveralSeeds({ ...context, maxHourlyUsd }, [{ podGroups, evaluated }]);

    expect(bindsCompletely(evaluated)).toBe(false);
    expect(evaluatePacking(context, result.packing)).toSatisfy(bindsCompletely);
    expect(result.packing.hourlyUsd).toBeLessThanOrEqual(maxHourlyUsd);
    expect(podsByClass(result.packing.packingState)).toEqual(podsByClass(packing.packingState));
  });

  it('returns the cheapest start unchanged if the work budget is exhausted', () => {
    const moreExpensive = { ...evaluated, costUsd: evaluated.costUsd * 2, packing: { ...packing } };
    const exhausted = { ...context, budget: createWorkBudget(0) };

    const result = annealWithSeveralSeeds(exhausted, [
      { podGroups, evaluated: moreExpensive },
      { podGroups, evaluated },
    ]);

    expect(result.packing).toBe(packing);
  });
});
