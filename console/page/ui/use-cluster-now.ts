import { useEffect, useState } from 'react';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { clusterNow } from '../store/page-clock.ts';
import type { PageState } from '../store/page-store.ts';
import { usePage, usePageStore } from '../store/use-page.ts';

/**
 * The cluster's time, updated every `everyMs`. Without a connection it stops, and so do all
 * countdowns.
 *
 * @param realTimeMs - the interval in real time, in which a countdown changes once a second: more
 *   pictures would cost power
 */
export function useClusterNow(everyMs = 250, realTimeMs = SECOND_MS): number {
  const store = usePageStore();
  const isMoving = usePage(isExtrapolated);
  const periodMs = usePage(({ clock }) => (clock?.speed === 1 ? realTimeMs : everyMs));
  // While time moves, the messages about it do not render anything: the interval does.
  const heardNow = usePage((state) => (isExtrapolated(state) ? undefined : state.clock?.now));
  const [movingNow, setMovingNow] = useState(() => readNow(store.get()));

  useEffect(() => {
    if (!isMoving) return;
    const tick = () => setMovingNow(readNow(store.get()));
    tick();
    const timer = setInterval(tick, periodMs);
    return () => clearInterval(timer);
  }, [store, isMoving, periodMs]);

  return heardNow ?? movingNow;
}

const isExtrapolated = ({ clock, contact }: PageState): boolean =>
  contact.state === 'live' && clock?.paused === false && clock.speed !== 'max';

const readNow = ({ clock }: PageState): number => (clock ? clusterNow(clock, performance.now()) : 0);
