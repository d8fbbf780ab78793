import { describe, expect, it } from 'vitest';
import { type NewNode, removePods } from '../../../shared/scheduling/packing/new-nodes/new-node.ts';
import { copyPackingState } from '../../../shared/scheduling/packing/new-nodes/packing-state.ts';
import { packAndEvaluate } from '../binding-simulation/evaluated-packing.ts';
import { aCluster, createPods, createStepTypes, requesting } from '../support/fixture.ts';

const pack = () => {
  const pods = [
    ...createPods(6, 'small', { requests: requesting(0.5, 1) }),
    ...createPods(2, 'large', { requests: requesting(2, 3) }),
  ];
  const { evaluated } = packAndEvaluate(aCluster({ types: createStepTypes(16), pods }));
  return evaluated.packing.packingState;
};

const contentsOf = (newNodes: readonly NewNode[]) =>
  newNodes.map(({ used, podCounts }) => ({ used: [...used], pods: [...podCounts.values()] }));

/** Removes one pod of the first group of each node. */
function removeOnePod(newNodes: readonly NewNode[]): void {
  for (const newNode of newNodes)
    for (const podGroup of [...newNode.podCounts.keys()].slice(0, 1)) removePods(newNode, podGroup, 1);
}

describe('a copy of a packing state', () => {
  it('changes without the original', () => {
    const original = pack();
    const before = contentsOf(original.newNodes);
    const copy = copyPackingState(original);

    removeOnePod(copy.newNodes);

    expect(contentsOf(copy.newNodes)).not.toEqual(before);
    expect(contentsOf(original.newNodes)).toEqual(before);
  });

  it('stays as it is when the original or another copy changes', () => {
    const original = pack();
    const before = contentsOf(original.newNodes);
    const copy = copyPackingState(original);

    removeOnePod(copyPackingState(copy).newNodes);
    removeOnePod(original.newNodes);

    expect(contentsOf(copy.newNodes)).toEqual(before);
  });

  it('shares pods and room with the original until one of both changes', () => {
    const original = pack();
    const copy = copyPackingState(original);

    expect(copy.newNodes.map(({ used }) => used)).toEqual(original.newNodes.map(({ used }) => used));
    expect(copy.newNodes[0]?.podCounts).toBe(original.newNodes[0]?.podCounts);
  });
});
