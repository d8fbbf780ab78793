import { memoizeBy as nodeTemplates } from '../../model/memo.ts';
import type { Problem } from './problem.ts';

type ProblemFunction<Answer> = (problem: Problem) => Answer;

/** Caches a result for each prepared snapshot; all problems derived from the snapshot share it. */
export const memoizePerSnapshot = <Answer>(
  compute: ProblemFunction<Answer>,
): ProblemFunction<Answer> => nodeTemplates(({ nodeTemplates }) => nodeTemplates, compute);

/** Caches a result as long as the same pods run on the same nodes. */
export const memoizePerRunningPods = <Answer>(
  compute: ProblemFunction<Answer>,
): ProblemFunction<Answer> => nodeTemplates(({ runningNodes }) => runningNodes, compute);
