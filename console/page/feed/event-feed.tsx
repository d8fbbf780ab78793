import { plural } from '../../format.ts';
import type { EventView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { usePage } from '../store/use-page.ts';
import { EventLine } from './event-line.tsx';
import styles from './feed.module.css';
import { useCalm } from './use-calm.ts';

const NONE: readonly EventView[] = [];
const SHOWN = 120;

/** The events, newest first. */
export function EventFeed() {
  const events = usePage(({ model }) => model?.events ?? NONE);
  return (
    <section className={cx(styles.feed)} aria-labelledby="events-title">
      <div className={cx(styles.head)}>
        <h2 id="events-title">Events</h2>
        <p>{events.length === 0 ? 'nothing yet' : `newest of ${plural(events.length, 'event')}`}</p>
      </div>
      <ol className={cx(styles.list)} data-testid="event-feed" aria-labelledby="events-title">
        {events
          .slice(-SHOWN)
          .reverse()
          .map((event) => (
            <EventLine key={event.seq} event={event} />
          ))}
      </ol>
      <Announcer events={events} />
    </section>
  );
}

/** Announces the newest event to screen readers, at most one in five seconds. */
function Announcer({ events }: { readonly events: readonly EventView[] }) {
  const text = useCalm(events.at(-1)?.text ?? '', 5_000);
  return (
    <p className={cx(styles.announcer)} role="log" aria-live="polite">
      {text}
    </p>
  );
}
