import { describe, expect, it } from 'vitest';
import {
  isClean,
  tryOut,
  upToDate,
} from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { createWorkBudget } from '../../../../shared/scheduling/binding-simulation/evaluation/work-budget.ts';
import {
  annealed,
  annealedFromSeveral,
} from '../../../../shared/scheduling/binding-simulation/search/simulated-annealing.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import { checkPlan } from '../../../vectors/check-plan.ts';
import { aCluster, asking, several, stepTypes } from '../../fixture.ts';
import { podsByClass, rehearsed } from '../evaluated-packing.ts';

const cluster = aCluster({
  types: stepTypes(64),
  pods: [
    ...several(20, 'small', { requests: asking(0.5, 1) }),
    ...several(3, 'large', { requests: asking(6, 3) }),
    ...several(4, 'rich', { requests: asking(1, 9) }),
  ],
});

describe('annealing', () => {
  const { trial, units, ...anyPrice } = rehearsed(cluster);
  const mostUsd = trial.packing.hourlyUsd * 1.5;
  const theatre = { ...anyPrice.theatre, mostUsd };
  const found = annealed(theatre, trial, units, 1);

  it('makes a packing hold that does not, with all of its pods', () => {
    expect(isClean(trial)).toBe(false);
    expect(found).toSatisfy(isClean);
    expect(podsByClass(found.packing.drafting)).toEqual(podsByClass(trial.packing.drafting));
  });

  it('finds a better one that is not too dear', () => {
    expect(found.costUsd).toBeLessThan(upToDate(theatre, trial).costUsd);
    expect(found.packing.hourlyUsd).toBeLessThanOrEqual(mostUsd);
  });

  it('leaves what holds as it is', () => {
    expect(annealed(theatre, found, units, 1)).toBe(found);
  });

  it('ends with the effort', () => {
    expect(annealed({ ...theatre, budget: createWorkBudget(0) }, trial, units, 1)).toBe(trial);
  });

  it('draws the same lots each time: equal clusters get equal plans', () => {
    const [plan, again] = [0, 1].map(() => planProvisioning(cluster, 'decision-1'));

    expect(again).toEqual(plan);
    if (plan) expect(checkPlan(cluster, plan)).toEqual([]);
  });
});

const { theatre, trial, units } = rehearsed(
  aCluster({
    types: stepTypes(64),
    pods: [
      ...several(20, 'small', { requests: asking(0.5, 1) }),
      ...several(3, 'large', { requests: asking(6, 3) }),
      ...several(4, 'rich', { requests: asking(1, 9) }),
    ],
  }),
);
const { packing } = trial;

describe('annealing from several packings', () => {
  it('ends with one that holds, with all of their pods', () => {
    const mostUsd = packing.hourlyUsd * 1.5;
    const found = annealedFromSeveral({ ...theatre, mostUsd }, [{ units, trial }]);

    expect(isClean(trial)).toBe(false);
    expect(tryOut(theatre, found)).toSatisfy(isClean);
    expect(found.hourlyUsd).toBeLessThanOrEqual(mostUsd);
    expect(podsByClass(found.drafting)).toEqual(podsByClass(packing.drafting));
  });

  it('leaves the most promising one as it is where no effort is left', () => {
    const dearer = { ...trial, costUsd: trial.costUsd * 2, packing: { ...packing } };
    const spent = { ...theatre, budget: createWorkBudget(0) };

    const found = annealedFromSeveral(spent, [
      { units, trial: dearer },
      { units, trial },
    ]);

    expect(found).toBe(packing);
  });
});
