import { podsToPlace } from '../scheduling/batch.ts';
import type { Problem } from '../scheduling/problem.ts';
import { assignBatch } from '../scheduling/solve.ts';
import { addTimes, toVector } from '../scheduling/vectors.ts';

/**
 * The problem with the room taken that pending pods, and pods of leaving nodes, are about to use:
 * a node that looks half empty may be spoken for.
 */
export function withPendingSettled(problem: Problem): Problem {
  const batch = podsToPlace(problem);
  if (batch.length === 0) return problem;
  const { placed } = assignBatch(problem, batch);
  const bins = problem.bins.map((bin) => {
    const here = placed.get(bin);
    if (!here) return bin;
    const free = bin.free.slice();
    for (const [{ spec }, count] of here) {
      addTimes(free, toVector(problem.columns, spec.requests), -count);
    }
    return { ...bin, free };
  });
  return { ...problem, bins };
}
