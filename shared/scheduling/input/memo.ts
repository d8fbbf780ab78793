import { memoizeBy as nodeTemplates } from '../../model/memo.ts';
import type { Problem } from './problem.ts';

type Question<Answer> = (problem: Problem) => Answer;

/** Asked once of what was prepared from one snapshot, whatever is then planned with it. */
export const oncePrepared = <Answer>(question: Question<Answer>): Question<Answer> =>
  nodeTemplates(({ nodeTemplates }) => nodeTemplates, question);

/** Asked once as long as the same pods run on the same nodes. */
export const onceRunning = <Answer>(question: Question<Answer>): Question<Answer> =>
  nodeTemplates(({ runningNodes }) => runningNodes, question);
