import type { Problem } from './problem.ts';

/** Makes something when it is first asked for, and gives the same from then on. */
export function onFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type Question<Answer> = (problem: Problem) => Answer;

/** Asked once of what was prepared from one snapshot, whatever is then planned with it. */
export const oncePrepared = <Answer>(question: Question<Answer>): Question<Answer> =>
  remembered(({ templates }) => templates, question);

/** Asked once as long as the same pods run on the same nodes. */
export const onceRunning = <Answer>(question: Question<Answer>): Question<Answer> =>
  remembered(({ running }) => running, question);

/** @param part - stands for all that the answer depends on, and takes it along when it goes */
function remembered<Part extends object, Answer>(
  part: (problem: Problem) => Part,
  question: Question<Answer>,
): Question<Answer> {
  const answers = new WeakMap<Part, { readonly answer: Answer }>();
  return (problem) => {
    const key = part(problem);
    const known = answers.get(key) ?? { answer: question(problem) };
    answers.set(key, known);
    return known.answer;
  };
}
