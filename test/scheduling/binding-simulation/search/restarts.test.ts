import { describe, expect, it } from 'vitest';
import { annealedFromSeveral } from '../../../../shared/scheduling/binding-simulation/search/simulated-annealing.ts';
import { isClean, tryOut } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { aCluster, asking, several, stepTypes } from '../../fixture.ts';
import { podsByClass, rehearsed } from '../evaluated-packing.ts';

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
    const spent = { ...theatre, effort: { left: 0 } };

    const found = annealedFromSeveral(spent, [
      { units, trial: dearer },
      { units, trial },
    ]);

    expect(found).toBe(packing);
  });
});
