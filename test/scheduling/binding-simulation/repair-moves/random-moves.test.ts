import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../../shared/model/random.ts';
import { evaluatePacking } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { listRandomMoves } from '../../../../shared/scheduling/binding-simulation/repair-moves/random-moves.ts';
import { listOtherSizes } from '../../../../shared/scheduling/binding-simulation/repair-moves/resize-nodes.ts';
import type { Packing } from '../../../../shared/scheduling/packing/packing.ts';
import { withPackingState } from '../../../../shared/scheduling/packing/packing.ts';
import { aCluster, createPods, createStepTypes, requesting } from '../../support/fixture.ts';
import { type PackedCluster, packAndEvaluate, podsByClass } from '../evaluated-packing.ts';

const cluster = aCluster({
  types: createStepTypes(32),
  pods: [
    ...createPods(20, 'small', { requests: requesting(0.5, 1) }),
    ...createPods(4, 'large', { requests: requesting(6, 3) }),
    ...createPods(4, 'rich', { requests: requesting(1, 9) }),
  ],
});

/** Packs by price and then replaces the first node by a larger one. */
function packWithLargerNode(): PackedCluster {
  const { context, evaluated, podGroups } = packAndEvaluate(cluster);
  const { packing } = evaluated;
  const { packingState } = packing;
  const [larger] = listOtherSizes(packingState, 0, 0.5, context.problem);
  if (!larger) throw new Error('there is a larger type');
  const newNodes = packingState.newNodes.with(0, larger);
  const evaluatedLarger = evaluatePacking(context, withPackingState(packing, { ...packingState, newNodes }));
  return { context, evaluated: evaluatedLarger ?? evaluated, podGroups };
}

describe('the random moves', () => {
  const { context, evaluated, podGroups } = packWithLargerNode();
  const random = createSeededRandom(1);
  const moves = listRandomMoves(context, podGroups);
  const packingsByMove = moves.map((move) =>
    Array.from({ length: 40 }, () => move(context, evaluated, podGroups, random)),
  );

  it('all lead to a packing, except for those that need zones or limits', () => {
    const leading = packingsByMove.filter((packings) => packings.some(Boolean));

    expect(leading).toHaveLength(moves.length - 2);
  });

  it('neither lose nor add pods', () => {
    const before = podsByClass(evaluated.packing.packingState);

    for (const { packingState } of packingsOf(packingsByMove)) expect(podsByClass(packingState)).toEqual(before);
  });

  it('leave each node a type that holds its pods', () => {
    const { typeIndex } = context.problem;
    for (const { packingState } of packingsOf(packingsByMove)) {
      for (const { types, used } of packingState.newNodes) {
        const roomiest = typeIndex.findLargestAllocatable(types);
        expect(used.every((amount, column) => amount <= (roomiest[column] ?? 0))).toBe(true);
      }
    }
  });

  it('change a copy and keep the evaluated packing as it is', () => {
    const { evaluated: unchanged } = packWithLargerNode();

    expect(evaluated.packing.hourlyUsd).toBe(unchanged.packing.hourlyUsd);
    expect(evaluated.packing.packingState.newNodes.map(({ used }) => used)).toEqual(
      unchanged.packing.packingState.newNodes.map(({ used }) => used),
    );
  });
});

const packingsOf = (packingsByMove: readonly (readonly (Packing | undefined)[])[]): Packing[] =>
  packingsByMove.flat().filter((packing) => packing !== undefined);
