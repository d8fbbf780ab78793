import { createContext, useContext } from 'react';
import type { Answer } from './use-explanation.ts';

export const AnswerContext = createContext<Answer>({ state: 'none' });

export const useAnswer = (): Answer => useContext(AnswerContext);

const NONE: readonly string[] = [];

/** Nodes that the open explanation names; the map outlines them. */
export function useEvidence(): readonly string[] {
  const answer = useAnswer();
  return answer.state === 'answered' ? answer.explanation.nodes : NONE;
}
