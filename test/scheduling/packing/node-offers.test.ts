import { describe, expect, it } from 'vitest';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { createPricedPodGroup, listNodeOffers } from '../../../shared/scheduling/packing/constructions/node-offers.ts';
import { aCluster, createPods, createStepTypes, requesting } from '../support/fixture.ts';

function prepareOffers(count: number) {
  const pods = createPods(count, 'web', { requests: requesting(1, 1) });
  const cluster = aCluster({ types: createStepTypes(40), pods });
  const { problem, podGroups } = assignBatch(prepare(cluster), pods);
  const priced = podGroups.flatMap((podGroup) =>
    podGroup.options.map((option) => createPricedPodGroup(podGroup, option, 1)),
  );
  return { problem, priced };
}

/** The largest number of CPUs among the nodes that are offered to the pods. */
function findLargestCpus(count: number): number {
  const { problem, priced } = prepareOffers(count);
  const offers = listNodeOffers(priced, problem);
  return Math.max(...offers.map(({ type }) => problem.typeIndex.types[type]?.capacity.cpu ?? 0));
}

describe('the nodes that are offered to pods', () => {
  it('are no larger than the cheapest node that holds all of them', () => {
    expect(findLargestCpus(2)).toBe(3_000);
    expect(findLargestCpus(20)).toBe(21_000);
  });

  it('are all nodes if none holds all of them', () => {
    expect(findLargestCpus(100)).toBe(40_000);
  });

  it('are compared once for all costs of a node besides its instance', () => {
    const { problem, priced } = prepareOffers(20);
    const [cheap, expensive] = [0, 1].map((usd) => listNodeOffers(priced, { ...problem, nodeCosts: () => usd }));

    expect(expensive).toHaveLength(cheap?.length ?? 0);
    expect(expensive?.every(({ room }, index) => room === cheap?.[index]?.room)).toBe(true);
    expect(expensive?.[0]?.usd).toBeCloseTo((cheap?.[0]?.usd ?? 0) + 1, 9);
  });
});
