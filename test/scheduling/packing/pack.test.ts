import { describe, expect, it } from 'vitest';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { packByPrice } from '../../../shared/scheduling/packing/constructions/best-price.ts';
import { packFirstFit } from '../../../shared/scheduling/packing/constructions/first-fit.ts';
import { packByResources } from '../../../shared/scheduling/packing/constructions/pack-by-resources.ts';
import { packEvenly } from '../../../shared/scheduling/packing/constructions/pack-evenly.ts';
import { type Construction, pack } from '../../../shared/scheduling/packing/packing.ts';
import { aCluster, createPods, requesting } from '../support/fixture.ts';

const CONSTRUCTIONS: readonly (readonly [string, Construction])[] = [
  ['by resources', packByResources],
  ['by price', packByPrice],
  ['first fit', packFirstFit],
  ['evenly', packEvenly],
];

describe('every construction', () => {
  it.each(CONSTRUCTIONS)('opens no node without pods: %s', (_, construct) => {
    const batch = createPods(2, 'a', { requests: requesting(1) });
    const { problem, podGroups } = assignBatch(prepare(aCluster({ pods: batch })), batch);
    const [unit] = podGroups;
    const none = unit ? [{ ...unit, count: 0 }] : [];

    expect(pack(problem, none, construct).packingState.newNodes).toEqual([]);
  });
});
