import { useEffect, useState } from 'react';
import { usePage } from '../store/use-page.ts';

const AGAIN_MS = 2_000;

/**
 * Reads from the server now and again at an interval, while the component is shown.
 *
 * @param read - the same function until something else is to be read
 */
export function usePolled<T>(read: () => Promise<T | undefined>, everyMs = AGAIN_MS): T | undefined {
  const [view, setView] = useState<T>();
  const isLive = usePage(({ contact }) => contact.state === 'live');
  useEffect(() => {
    if (!isLive) return;
    let isOpen = true;
    const readOnce = () =>
      void read().then(
        (answer) => {
          if (isOpen && answer !== undefined) setView(answer);
        },
        // Without a connection the last answer stays; the next interval reads again.
        () => undefined,
      );
    readOnce();
    const timer = setInterval(readOnce, everyMs);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, [read, isLive, everyMs]);
  return view;
}
