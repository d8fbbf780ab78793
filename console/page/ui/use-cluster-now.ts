import { useEffect, useState } from 'react';
import { clusterNow } from '../store/page-clock.ts';
import { usePage } from '../store/use-page.ts';

/**
 * The cluster's time, updated every `everyMs`. Without a connection it stops, and so do all
 * countdowns.
 */
export function useClusterNow(everyMs = 250): number {
  const clock = usePage((state) => state.clock);
  const isLive = usePage((state) => state.contact.state === 'live');
  const [realNow, setRealNow] = useState(() => performance.now());

  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => setRealNow(performance.now()), everyMs);
    return () => clearInterval(timer);
  }, [isLive, everyMs]);

  return clock ? clusterNow(clock, Math.max(realNow, clock.heardAt)) : 0;
}
