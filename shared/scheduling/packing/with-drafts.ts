import type { Problem } from '../input/problem.ts';
import { addTimes } from '../data-structures/resource-vectors.ts';
import { cheapestType, type Draft } from './new-nodes/packing-state.ts';

/** The problem with what new nodes take of their pools' limits, each at its cheapest type. */
export function withDrafts(problem: Problem, drafts: readonly Draft[]): Problem {
  const usage = new Map(problem.usage);
  for (const draft of drafts) {
    const { name } = draft.template.pool;
    const known = usage.get(name);
    const capacity = known?.capacity.slice() ?? new Float64Array(problem.columns.names.length);
    const added = problem.index.capacity[cheapestType(draft, problem).type];
    if (added) addTimes(capacity, added, 1);
    usage.set(name, { capacity, nodes: (known?.nodes ?? 0) + 1 });
  }
  return { ...problem, usage };
}
