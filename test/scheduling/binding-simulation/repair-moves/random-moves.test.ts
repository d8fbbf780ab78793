import { describe, expect, it } from 'vitest';
import { evaluatePacking } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { RANDOM_MOVES } from '../../../../shared/scheduling/binding-simulation/repair-moves/random-moves.ts';
import { listOtherSizes } from '../../../../shared/scheduling/binding-simulation/repair-moves/resize-nodes.ts';
import { createSeededRandom } from '../../../../shared/scheduling/binding-simulation/seeded-random.ts';
import { repriced } from '../../../../shared/scheduling/packing/new-nodes/spare-room.ts';
import type { Packing } from '../../../../shared/scheduling/packing/packing.ts';
import { aCluster, asking, several, stepTypes } from '../../fixture.ts';
import { type PackedCluster, packAndEvaluate, podsByClass } from '../evaluated-packing.ts';

const cluster = aCluster({
  types: stepTypes(32),
  pods: [
    ...several(20, 'small', { requests: asking(0.5, 1) }),
    ...several(4, 'large', { requests: asking(6, 3) }),
    ...several(4, 'rich', { requests: asking(1, 9) }),
  ],
});

/** Packs by price and then replaces the first node by a larger one. */
function packWithLargerNode(): PackedCluster {
  const { context, evaluated, units } = packAndEvaluate(cluster);
  const { packing } = evaluated;
  const { drafting } = packing;
  const [larger] = listOtherSizes(drafting, 0, 0.5, context.problem);
  if (!larger) throw new Error('there is a larger type');
  const drafts = drafting.drafts.with(0, larger);
  const larger2 = evaluatePacking(context, repriced(packing, { ...drafting, drafts }));
  return { context, evaluated: larger2 ?? evaluated, units };
}

describe('the random moves', () => {
  const { context, evaluated, units } = packWithLargerNode();
  const random = createSeededRandom(1);
  const packingsByMove = RANDOM_MOVES.map((move) =>
    Array.from({ length: 40 }, () => move(context, evaluated, units, random)),
  );

  it('all lead to a packing, except for those that need zones or limits', () => {
    const leading = packingsByMove.filter((packings) => packings.some(Boolean));

    expect(leading).toHaveLength(RANDOM_MOVES.length - 2);
  });

  it('neither lose nor add pods', () => {
    const before = podsByClass(evaluated.packing.drafting);

    for (const { drafting } of packingsOf(packingsByMove))
      expect(podsByClass(drafting)).toEqual(before);
  });

  it('leave each node a type that holds its pods', () => {
    const { index } = context.problem;
    for (const { drafting } of packingsOf(packingsByMove)) {
      for (const { types, used } of drafting.drafts) {
        const roomiest = index.findLargestAllocatable(types);
        expect(used.every((amount, column) => amount <= (roomiest[column] ?? 0))).toBe(true);
      }
    }
  });

  it('change a copy and keep the evaluated packing as it is', () => {
    const { evaluated: again } = packWithLargerNode();

    expect(evaluated.packing.hourlyUsd).toBe(again.packing.hourlyUsd);
    expect(evaluated.packing.drafting.drafts.map(({ used }) => used)).toEqual(
      again.packing.drafting.drafts.map(({ used }) => used),
    );
  });
});

const packingsOf = (packingsByMove: readonly (readonly (Packing | undefined)[])[]): Packing[] =>
  packingsByMove.flat().filter((packing) => packing !== undefined);
