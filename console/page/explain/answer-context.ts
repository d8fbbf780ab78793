import { createContext, useContext, useMemo } from 'react';
import type { Answer } from './use-explanation.ts';

export const AnswerContext = createContext<Answer>({ state: 'none' });

export const useAnswer = (): Answer => useContext(AnswerContext);

/** Nodes that the open explanation names; the map outlines them. */
export function useEvidence(): readonly string[] {
  const answer = useAnswer();
  return useMemo(() => {
    if (answer.state !== 'answered') return [];
    const { subject, verdict, evidence } = answer.explanation;
    const objects = [
      ...verdict.objects,
      ...evidence.flatMap((part) => {
        if (part.kind === 'text') return part.sentences.flatMap((sentence) => sentence.objects);
        return part.kind === 'reasons' ? part.rows.flatMap(({ object }) => object ?? []) : [];
      }),
    ];
    const nodes = objects.filter(({ kind }) => kind === 'node').map(({ name }) => name);
    return [...new Set(nodes)].filter((name) => name !== subject.name);
  }, [answer]);
}
