import { useEffect, useState } from 'react';
import { cx } from '../class-names.ts';
import type { Contact } from '../store/page-store.ts';
import { usePage } from '../store/use-page.ts';
import styles from './connection-state.module.css';

/** Shows if the page is live, or since when it is not. */
export function ConnectionState() {
  const contact = usePage((state) => state.contact);
  const isPaused = usePage(({ clock }) => clock?.paused ?? false);
  const lostSince = usePage(({ clock }) => clock?.lostSince);
  const realNow = useRealNow(contact.state === 'lost');
  const isOutage = contact.state === 'live' && lostSince !== undefined;
  const isResting = contact.state !== 'live' || isPaused;
  const isLost = contact.state === 'lost' || isOutage;

  return (
    <p
      className={cx(styles.state)}
      data-testid="connection"
      data-state={isOutage ? 'outage' : contact.state}
      role="status"
    >
      <span className={cx(styles.dot, isLost ? styles.lost : isResting && styles.resting)} aria-hidden="true" />
      {isOutage ? outageText(lostSince) : textOf(contact, isPaused, realNow)}
    </p>
  );
}

const outageText = (since: number): string =>
  `API server unreachable since ${new Date(since).toLocaleTimeString('en-GB')}, trying again`;

function textOf(contact: Contact, isPaused: boolean, realNow: number): string {
  switch (contact.state) {
    case 'connecting':
      return 'Connecting';
    case 'live':
      return isPaused ? 'Paused' : 'Live';
    case 'restarting':
      return 'Starting anew';
    case 'lost': {
      const seconds = Math.max(0, Math.ceil((contact.retryAt - realNow) / 1000));
      const since = new Date(contact.since).toLocaleTimeString('en-GB');
      return `No contact since ${since}, trying again${seconds > 0 ? ` in ${seconds} s` : ''}`;
    }
  }
}

function useRealNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
