import type { Drafting } from '../packing/drafts.ts';
import { forEachBit } from '../types/bitset.ts';
import { addTimes, at } from '../vectors.ts';
import { withinAllowance } from './limits.ts';

/**
 * Drops types with which the drafts of a limited pool could together exceed its limits, whichever
 * of them is launched. What is left to spare goes to the first drafts.
 */
export function settleLimits({ problem, drafts, allowances }: Drafting): void {
  for (const draft of drafts) {
    const allowance = allowances.get(draft.template.pool.name);
    if (!allowance) continue;
    draft.types = withinAllowance(draft.types, allowance, draft.charged, problem);
    const largest = new Float64Array(allowance.left.length);
    forEachBit(draft.types, (type) => {
      const capacity = problem.index.capacity[type] ?? new Float64Array();
      for (let column = 0; column < largest.length; column++) {
        largest[column] = Math.max(at(largest, column), at(capacity, column));
      }
    });
    addTimes(allowance.left, draft.charged, 1);
    addTimes(allowance.left, largest, -1);
    draft.charged = largest;
  }
}
