import type { EpochMs } from '../../model/time.ts';
import { computePoolGrowth } from '../../scheduling/input/pool-growth.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import type { Candidate } from '../candidates.ts';

const NO_GROWTH = { hourlyUsd: 0, endsAt: 0 };

/**
 * Computes how long a move of these nodes saves money while their pools grow, in milliseconds. Their pods
 * use room that the next pods would have used; for those, the pool launches as much again. At its present
 * growth it does so after this time. Infinity if no pool of them grows, or has grown in one burst that is over: the
 * burst does not say when the pool launches again, and has left nodes less full than planned.
 */
export function computeTimeUntilRelaunch(candidates: readonly Candidate[], problem: Problem): number {
  const growth = computePoolGrowth(problem);
  const windowMs = problem.snapshot.settings?.growthWindowMs ?? 0;
  const times = [...Map.groupBy(candidates, ({ claim }) => claim.pool)].map(([pool, nodes]) => {
    const { hourlyUsd: launchedUsd, endsAt } = growth.get(pool) ?? NO_GROWTH;
    const movedUsd = nodes.reduce((sum, { hourlyUsd, usedShare }) => sum + hourlyUsd * usedShare, 0);
    return launchedUsd > 0 && endsAt > problem.snapshot.takenAt ? (windowMs * movedUsd) / launchedUsd : Infinity;
  });
  return Math.min(Infinity, ...times);
}

/** When the pools of these nodes have stopped growing, unless they launch again; 0 if none grows. */
export const findGrowthEnd = (candidates: readonly Candidate[], problem: Problem): EpochMs => {
  const growth = computePoolGrowth(problem);
  return Math.max(0, ...candidates.map(({ claim }) => growth.get(claim.pool)?.endsAt ?? 0));
};
