import { joinOpenDrafts } from './constructions/first-fit.ts';
import type { Construction } from './packing.ts';
import type { Unit } from '../assignment/pod-groups.ts';

/**
 * The same construction, level by level of priority: where limits leave too little for all, pods of
 * lower priority go without.
 */
export const byPriority =
  (construct: Construction): Construction =>
  (drafting, units) => {
    for (const level of levelsOf(units)) {
      for (const unit of level) joinOpenDrafts(drafting, unit);
      construct(drafting, level);
    }
  };

const levelsOf = (units: readonly Unit[]): readonly (readonly Unit[])[] =>
  [...Map.groupBy(units, ({ cls }) => cls.spec.priority)]
    .toSorted(([a], [b]) => b - a)
    .map(([, level]) => level);
