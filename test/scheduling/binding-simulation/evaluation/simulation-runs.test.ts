import { describe, expect, it } from 'vitest';
import { performanceOf } from '../../../../shared/scheduling/binding-simulation/evaluation/simulation-runs.ts';
import { aCluster, asking, several, stepTypes } from '../../fixture.ts';
import { rehearsed } from '../evaluated-packing.ts';

const [PLANNED, SMALL_FIRST, BY_LOT] = [0, 2, 3];

const { theatre, trial } = rehearsed(
  aCluster({
    types: stepTypes(16),
    pods: [
      ...several(12, 'small', { requests: asking(0.5, 1) }),
      ...several(3, 'large', { requests: asking(6, 3) }),
    ],
  }),
);
const { packing } = trial;

describe('a performance', () => {
  it.each([
    ['by lot', BY_LOT],
    ['small ones first', SMALL_FIRST],
  ])('on nodes that were seen before is known where pods come %s', (_, order) => {
    const drafts = packing.drafting.drafts.toReversed();
    const again = { ...packing, drafting: { ...packing.drafting, drafts } };
    const performance = performanceOf(theatre, again);
    const before = theatre.budget.remaining();

    performance.runIn(order);

    expect(performance.isKnown(order)).toBe(true);
    expect(theatre.budget.remaining()).toBe(before);
    expect(performance.outcome().displaced.get(order)).toEqual(trial.displaced.get(order));
  });

  it('in the order of the plan hangs on the plan: it is seen anew', () => {
    const performance = performanceOf(theatre, packing);
    const before = theatre.budget.remaining();

    performance.runIn(PLANNED);

    expect(performance.isKnown(PLANNED)).toBe(false);
    expect(theatre.budget.remaining()).toBeLessThan(before);
  });

  it('costs what the packing costs, and more for each pod that is displaced', () => {
    const performance = performanceOf(theatre, packing);
    const before = performance.costUsd();

    performance.runIn(SMALL_FIRST);

    const displaced = performance.outcome().displaced.get(SMALL_FIRST) ?? [];
    expect(before).toBe(packing.costUsd);
    expect(displaced.length > 0).toBe(performance.costUsd() > before);
  });
});
