import { commit, type Draft, discardDraft, joining, openDraft, startDrafting } from './drafts.ts';
import type { Problem } from './problem.ts';
import type { Unit } from './units.ts';

/**
 * One new node for all of the units, from the heaviest pool that has such a node; undefined if no
 * single node holds them.
 */
export function packOntoOne(problem: Problem, units: readonly Unit[]): Draft | undefined {
  const [first] = units;
  const drafting = startDrafting(problem);
  for (const option of first?.options ?? []) {
    const draft = openDraft(drafting, option);
    if (!draft) continue;
    const left = units.map((unit) => ({ ...unit }));
    const all = left.every((unit) => {
      const joined = joining(drafting, draft, unit, unit.count);
      if (!joined || joined.room < unit.count) return false;
      commit(drafting, draft, unit, unit.count, joined);
      return true;
    });
    if (all) return draft;
    discardDraft(drafting, draft);
  }
  return undefined;
}
