import { useEffect, useState } from 'react';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { clusterNow } from '../store/page-clock.ts';
import { usePage } from '../store/use-page.ts';

/**
 * The cluster's time, updated every `everyMs`. Without a connection it stops, and so do all
 * countdowns.
 */
export function useClusterNow(everyMs = 250): number {
  const clock = usePage((state) => state.clock);
  const isLive = usePage((state) => state.contact.state === 'live');
  const isMoving = isLive && clock?.paused === false;
  // In real time a countdown changes once a second; more pictures would cost power.
  const periodMs = clock?.speed === 1 ? Math.max(everyMs, SECOND_MS) : everyMs;
  const [realNow, setRealNow] = useState(() => performance.now());

  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => setRealNow(performance.now()), periodMs);
    return () => clearInterval(timer);
  }, [isMoving, periodMs]);

  return clock ? clusterNow(clock, Math.max(realNow, clock.heardAt)) : 0;
}
