import { describe, expect, it } from 'vitest';
import type { Resources } from '../../../../shared/model/resources.ts';
import { type PodGroup, takePods } from '../../../../shared/scheduling/assignment/pod-groups.ts';
import { evaluatePacking } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { countPodsOnLighterPools } from '../../../../shared/scheduling/binding-simulation/evaluation/pool-weights.ts';
import {
  withMergedNodes,
  withoutNodes,
} from '../../../../shared/scheduling/binding-simulation/repair-moves/remove-nodes.ts';
import { NO_NODE_COSTS } from '../../../../shared/scheduling/input/node-costs.ts';
import { openNodeWith } from '../../../../shared/scheduling/packing/constructions/first-fit.ts';
import type { PackingState } from '../../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import { aCluster, aPool, createPods, createStepTypes, requesting } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

/** Opens a node for each pod, in the heaviest pool that its limits allow. */
function openNodeForEachPod(packingState: PackingState, podGroups: readonly PodGroup[]): void {
  for (const podGroup of podGroups) {
    for (; podGroup.count > 0; takePods(podGroup, 1)) {
      podGroup.options.some((option) => openNodeWith(packingState, { ...podGroup, count: 1 }, option));
    }
  }
}

const pods = createPods(3, 'web', { requests: requesting(1, 1) });

/** Three pods. The heavier pool takes two of them if each has its own node. */
const clusterWith = (limits: Resources) =>
  aCluster({
    pools: [aPool({ name: 'first', weight: 10, limits }), aPool({ name: 'second' })],
    types: createStepTypes(3),
    pods,
  });

const poolsOf = ({ newNodes }: PackingState): string[] => newNodes.map(({ template }) => template.pool.name).toSorted();

const LIMITS: readonly Resources[] = [{ nodes: 2 }, { cpu: 5000 }];

describe.each(LIMITS)('a heavier pool with the limits %o', (limits) => {
  const { context, evaluated } = packAndEvaluate(clusterWith(limits), openNodeForEachPod);
  const { packing } = evaluated;

  it('leaves the pod that it cannot take to the lighter pool', () => {
    expect(poolsOf(packing.packingState)).toEqual(['first', 'first', 'second']);
    expect(countPodsOnLighterPools(packing.packingState)).toBe(0);
  });

  it('could take the third pod once two of its nodes are merged, so that the merged packing is rejected', () => {
    const merged = withMergedNodes(packing, 0, 1);
    if (!merged) throw new Error('two pods fit on a node');

    expect(poolsOf(merged.packingState)).toEqual(['first', 'second']);
    expect(countPodsOnLighterPools(merged.packingState)).toBe(1);
    expect(evaluatePacking(context, merged)).toBeUndefined();
  });

  it('takes its pods again when one of its nodes is dissolved', () => {
    const moved = withoutNodes(packing, new Set([0]), { join: false, nodeCosts: NO_NODE_COSTS });

    expect(moved && poolsOf(moved.packingState)).toEqual(['first', 'first', 'second']);
  });
});
