import { useCallback } from 'react';
import { usePageStore } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { findStop } from './time-scale.ts';

/** Moves the playhead to the action before or after it; after the last one, the page is live. */
export function useJump(): (direction: 'earlier' | 'later') => void {
  const store = usePageStore();
  const { at, setAt } = useUi();
  return useCallback(
    // A press before the curve has been read waits for it.
    (direction) =>
      void store.readMarks().then((marks) => {
        const stop = findStop(marks, at ?? Number.POSITIVE_INFINITY, direction);
        if (stop !== undefined || direction === 'later') setAt(stop);
      }),
    [store, at, setAt],
  );
}
