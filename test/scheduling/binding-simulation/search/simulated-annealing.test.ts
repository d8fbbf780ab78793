import { describe, expect, it } from 'vitest';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import { annealed } from '../../../../shared/scheduling/binding-simulation/search/simulated-annealing.ts';
import { isClean, upToDate } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
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
    expect(annealed({ ...theatre, effort: { left: 0 } }, trial, units, 1)).toBe(trial);
  });

  it('draws the same lots each time: equal clusters get equal plans', () => {
    const [plan, again] = [0, 1].map(() => planProvisioning(cluster, 'decision-1'));

    expect(again).toEqual(plan);
    if (plan) expect(checkPlan(cluster, plan)).toEqual([]);
  });
});
