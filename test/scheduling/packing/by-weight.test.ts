import { describe, expect, it } from 'vitest';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import {
  type HeaviestOptions,
  packByWeight,
} from '../../../shared/scheduling/packing/constructions/by-weight.ts';
import { createPackingState } from '../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import { aCluster, aPool, requesting, fakeType, createPods } from '../support/fixture.ts';

const refuseAll = (choices: readonly HeaviestOptions[]) =>
  choices.flatMap(({ podGroup, options }) => options.map((option) => ({ podGroup, option })));

/** The pools whose nodes are opened where the construction refuses whatever it is offered. */
function opened(...pools: Parameters<typeof aPool>[0][]): string[] {
  const batch = createPods(2, 'a', { requests: requesting(3) });
  const types = [fakeType('for-one', { cpus: 4, gib: 4 })];
  const cluster = aCluster({ types, pods: batch, pools: pools.map((pool) => aPool(pool)) });
  const { problem, podGroups } = assignBatch(prepare(cluster), batch);
  const drafting = createPackingState(problem);
  packByWeight(drafting, podGroups, refuseAll);
  return drafting.newNodes.map(({ template }) => template.pool.name);
}

describe('pools of one weight', () => {
  it('are all asked for what they have left before any lighter one is', () => {
    expect(
      opened(
        { name: 'full', weight: 10, limits: { cpu: 1000 } },
        { name: 'open', weight: 10, limits: { nodes: 2 } },
        { name: 'light' },
      ),
    ).toEqual(['open', 'open']);
  });

  it('leave to a lighter one what none of them has room for', () => {
    expect(opened({ name: 'heavy', weight: 10, limits: { nodes: 1 } }, { name: 'light' })).toEqual([
      'heavy',
      'light',
    ]);
  });
});
