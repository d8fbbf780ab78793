import { describe, expect, it } from 'vitest';
import { createSimulationRuns } from '../../../../shared/scheduling/binding-simulation/evaluation/simulation-runs.ts';
import { aCluster, createPods, createStepTypes, requesting } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

const [PLANNED, SMALL_FIRST, SHUFFLED] = [0, 2, 3];

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

describe('simulation runs', () => {
  it.each([
    ['random', SHUFFLED],
    ['smallest first', SMALL_FIRST],
  ])('reuse the result for packings with the same nodes if the order is %s', (_, order) => {
    const newNodes = packing.packingState.newNodes.toReversed();
    const reordered = { ...packing, packingState: { ...packing.packingState, newNodes } };
    const runs = createSimulationRuns(context, reordered);
    const before = context.budget.remaining();

    runs.run(order);

    expect(runs.isCached(order)).toBe(true);
    expect(context.budget.remaining()).toBe(before);
    expect(runs.result().displaced.get(order)).toEqual(evaluated.displaced.get(order));
  });

  it('simulate the planned order anew for each packing because it depends on the plan', () => {
    const runs = createSimulationRuns(context, packing);
    const before = context.budget.remaining();

    runs.run(PLANNED);

    expect(runs.isCached(PLANNED)).toBe(false);
    expect(context.budget.remaining()).toBeLessThan(before);
  });

  it('cost the price of the packing plus a penalty for each displaced pod', () => {
    const runs = createSimulationRuns(context, packing);
    const before = runs.costUsd();

    runs.run(SMALL_FIRST);

    const displaced = runs.result().displaced.get(SMALL_FIRST) ?? [];
    expect(before).toBe(packing.costUsd);
    expect(displaced.length > 0).toBe(runs.costUsd() > before);
  });
});
