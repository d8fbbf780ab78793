import type { Problem } from '../problem.ts';
import { addBit, bitsOf, emptyBitset } from '../types/bitset.ts';
import { unmetMinValues } from '../types/min-values.ts';
import { at, type Vector } from '../vectors.ts';
import type { Draft } from './drafts.ts';

/** The capacity that limits must leave for a draft with minValues: as many types as those need. */
export function capacityToKeep(
  draft: Pick<Draft, 'types' | 'where' | 'template' | 'minValues' | 'used'>,
  problem: Problem,
): Vector {
  const { index, offerings } = problem;
  const byPrice = bitsOf(draft.types)
    .map((type) => ({ type, usd: offerings.cheapestUsd(type, draft.where) }))
    .filter(({ usd }) => usd < Infinity)
    .toSorted((a, b) => a.usd - b.usd || a.type - b.type);
  const kept = emptyBitset(index.types.length);
  const capacity = new Float64Array(draft.used.length);
  for (const { type } of byPrice) {
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
