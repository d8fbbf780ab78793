import { describe, expect, it } from 'vitest';
import type { Resources } from '../../../../shared/model/resources.ts';
import type { Unit } from '../../../../shared/scheduling/assignment/pod-groups.ts';
import { tryOut } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { podsTooLight } from '../../../../shared/scheduling/binding-simulation/evaluation/pool-weights.ts';
import {
  withMerged,
  withoutNodes,
} from '../../../../shared/scheduling/binding-simulation/repair-moves/remove-nodes.ts';
import { openWith } from '../../../../shared/scheduling/packing/constructions/first-fit.ts';
import type { Drafting } from '../../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import { aCluster, aPool, asking, several, stepTypes } from '../../fixture.ts';
import { rehearsed } from '../evaluated-packing.ts';

/** A node for each pod, of the heaviest pool that its limits leave. */
function oneEach(drafting: Drafting, units: readonly Unit[]): void {
  for (const unit of units) {
    for (; unit.count > 0; unit.count--) {
      unit.options.some((option) => openWith(drafting, { ...unit, count: 1 }, option));
    }
  }
}

const pods = several(3, 'web', { requests: asking(1, 1) });

/** Three pods, of which the heavier pool takes two as long as each has a node of its own. */
const clusterWith = (limits: Resources) =>
  aCluster({
    pools: [aPool({ name: 'first', weight: 10, limits }), aPool({ name: 'second' })],
    types: stepTypes(3),
    pods,
  });

const poolsOf = ({ drafts }: Drafting): string[] =>
  drafts.map(({ template }) => template.pool.name).toSorted();

const LIMITS: readonly Resources[] = [{ nodes: 2 }, { cpu: 5000 }];

describe.each(LIMITS)('a heavier pool limited to %o', (limits) => {
  const { theatre, trial } = rehearsed(clusterWith(limits), oneEach);
  const { packing } = trial;

  it('leaves to the lighter one what it does not take', () => {
    expect(poolsOf(packing.drafting)).toEqual(['first', 'first', 'second']);
    expect(podsTooLight(packing.drafting)).toBe(0);
  });

  it('has room again once two of its nodes are one: then the other pod is its own', () => {
    const merged = withMerged(packing, 0, 1);
    if (!merged) throw new Error('two pods fit on a node');

    expect(poolsOf(merged.drafting)).toEqual(['first', 'second']);
    expect(podsTooLight(merged.drafting)).toBe(1);
    expect(tryOut(theatre, merged)).toBeUndefined();
  });

  it('takes the pods again whose node is dissolved', () => {
    const moved = withoutNodes(packing, new Set([0]), { join: false, perNodeUsd: 0 });

    expect(moved && poolsOf(moved.drafting)).toEqual(['first', 'first', 'second']);
  });
});
