import { useEffect, useState } from 'react';
import type { TimelineView } from '../../views.ts';
import { getTimeline } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';

const AGAIN_MS = 2_000;

/** The history of the last `windowMs`, read again while the page is open. */
export function useTimeline(windowMs: number): TimelineView | undefined {
  const [view, setView] = useState<TimelineView>();
  const isLive = usePage(({ contact }) => contact.state === 'live');
  useEffect(() => {
    if (!isLive) return;
    let isOpen = true;
    const read = () =>
      void getTimeline(windowMs).then(
        (answer) => {
          if (isOpen && answer) setView(answer);
        },
        // Without a connection the last picture stays; the next interval reads again.
        () => undefined,
      );
    read();
    const timer = setInterval(read, AGAIN_MS);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, [windowMs, isLive]);
  return view;
}
