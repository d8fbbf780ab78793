import { useCallback } from 'react';
import type { TimelineView } from '../../timeline-views.ts';
import { getTimeline } from '../store/api.ts';
import { usePolled } from '../ui/use-polled.ts';

/** The history of the last `windowMs`, read again while the page is open. */
export const useTimeline = (windowMs: number): TimelineView | undefined =>
  usePolled(useCallback(() => getTimeline(windowMs), [windowMs]));
