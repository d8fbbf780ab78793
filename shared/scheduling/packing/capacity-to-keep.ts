import type { Problem } from '../input/problem.ts';
import { addBit, emptyBitset } from '../data-structures/bitset.ts';
import { unmetMinValues } from '../instance-types/min-values.ts';
import { typesByPrice } from '../instance-types/claim-type-choice.ts';
import { at, type Vector } from '../data-structures/resource-vectors.ts';
import type { Draft } from './new-nodes/packing-state.ts';

/** The capacity that limits must leave for a draft with minValues: as many types as those need. */
export function capacityToKeep(
  draft: Pick<Draft, 'types' | 'where' | 'template' | 'minValues' | 'used'>,
  problem: Problem,
): Vector {
  const { index } = problem;
  const kept = emptyBitset(index.types.length);
  const capacity = new Float64Array(draft.used.length);
  for (const type of typesByPrice(draft, problem)) {
    addBit(kept, type);
    for (let column = 0; column < capacity.length; column++) {
      capacity[column] = Math.max(
        at(capacity, column),
        at(index.capacity[type] ?? NOTHING, column),
      );
    }
    if (!unmetMinValues(draft.template, kept, problem, draft.minValues)) break;
  }
  return capacity;
}

const NOTHING: Vector = new Float64Array();
