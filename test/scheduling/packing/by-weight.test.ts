import { describe, expect, it } from 'vitest';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { type HeaviestOptions, packByWeight } from '../../../shared/scheduling/packing/constructions/by-weight.ts';
import { createPackingState } from '../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import { aCluster, aPool, createPods, fakeType, requesting } from '../support/fixture.ts';

const refuseAll = (choices: readonly HeaviestOptions[]) =>
  choices.flatMap(({ podGroup, options }) => options.map((option) => ({ podGroup, option })));

/** Lists the pools whose nodes are opened if the construction refuses all of them. */
function opened(...pools: Parameters<typeof aPool>[0][]): string[] {
  const batch = createPods(2, 'a', { requests: requesting(3) });
  const types = [fakeType('for-one', { cpus: 4, gib: 4 })];
  const cluster = aCluster({ types, pods: batch, pools: pools.map((pool) => aPool(pool)) });
  const { problem, podGroups } = assignBatch(prepare(cluster), batch);
  const state = createPackingState(problem);
  packByWeight(state, podGroups, refuseAll);
  return state.newNodes.map(({ template }) => template.pool.name);
}

describe('NodePools of one weight', () => {
  it('are all filled with what they have left before a lighter one is used', () => {
    expect(
      opened(
        { name: 'full', weight: 10, limits: { cpu: 1000 } },
        { name: 'open', weight: 10, limits: { nodes: 2 } },
        { name: 'light' },
      ),
    ).toEqual(['open', 'open']);
  });

  it('leave pods to a lighter one if none of them has room', () => {
    expect(opened({ name: 'heavy', weight: 10, limits: { nodes: 1 } }, { name: 'light' })).toEqual(['heavy', 'light']);
  });
});
