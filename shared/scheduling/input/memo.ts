import { memoizeBy as nodeTemplates } from '../../model/memo.ts';
import type { Problem } from './problem.ts';

type ProblemFunction<Answer> = (problem: Problem) => Answer;

/** Asked once of what was prepared from one snapshot, whatever is then planned with it. */
export const memoizePerSnapshot = <Answer>(
  compute: ProblemFunction<Answer>,
): ProblemFunction<Answer> => nodeTemplates(({ nodeTemplates }) => nodeTemplates, compute);

/** Asked once as long as the same pods run on the same nodes. */
export const memoizePerRunningPods = <Answer>(
  compute: ProblemFunction<Answer>,
): ProblemFunction<Answer> => nodeTemplates(({ runningNodes }) => runningNodes, compute);
