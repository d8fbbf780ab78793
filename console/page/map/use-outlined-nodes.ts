import { useMemo } from 'react';
import { useEvidence } from '../explain/answer-context.ts';
import { useMarkedSides } from '../timeline/difference-bar.tsx';

/** The nodes that the open answer names, and those that differ between the compared moments. */
export function useOutlinedNodes(): readonly string[] {
  const evidence = useEvidence();
  const comparison = useMarkedSides()?.comparison;
  return useMemo(() => {
    if (!comparison) return evidence;
    const { added, gone, changed } = comparison;
    return [...new Set([...evidence, ...added, ...gone, ...changed])];
  }, [evidence, comparison]);
}
