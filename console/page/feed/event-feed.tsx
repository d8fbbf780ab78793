import { memo, useEffect, useRef, useState } from 'react';
import { formatTime, plural } from '../../format.ts';
import type { EventView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { LinkedText } from '../controls/linked-text.tsx';
import { usePage } from '../store/use-page.ts';
import { EventIcon } from './event-icon.tsx';
import styles from './feed.module.css';

const NONE: readonly EventView[] = [];
const MAX_SHOWN = 120;

const GROUP_NAMES: Readonly<Record<EventGroup, string>> = {
  all: 'all kinds',
  launches: 'pods and launches',
  removals: 'removals and drains',
  capacity: 'interruptions and capacity',
  actions: 'user actions',
  other: 'other',
};

/** The events, newest first. */
export function EventFeed() {
  const all = usePage(({ model }) => model?.events ?? NONE);
  const [group, setGroup] = useState<EventGroup>('all');
  const events = group === 'all' ? all : all.filter((event) => groupOfEvent(event) === group);
  return (
    <section className={cx(styles.feed)} aria-labelledby="events-title">
      <div className={cx(styles.head)}>
        <h2 id="events-title">Events</h2>
        <p>{events.length === 0 ? 'nothing yet' : `newest of ${plural(events.length, 'event')}`}</p>
        <select
          className={cx(styles.filter)}
          aria-label="Kind of event"
          data-testid="event-filter"
          value={group}
          onChange={({ target }) => setGroup(EVENT_GROUPS.find((one) => one === target.value) ?? 'all')}
        >
          {EVENT_GROUPS.map((one) => (
            <option key={one} value={one}>
              {GROUP_NAMES[one]}
            </option>
          ))}
        </select>
      </div>
      <ol className={cx(styles.list)} data-testid="event-feed" aria-labelledby="events-title">
        {events
          .slice(-MAX_SHOWN)
          .reverse()
          .map((event) => (
            <EventLine key={event.seq} event={event} />
          ))}
      </ol>
      <Announcer events={all} />
    </section>
  );
}

/** Announces the newest event to screen readers, at most one in five seconds. */
function Announcer({ events }: { readonly events: readonly EventView[] }) {
  const text = useThrottledValue(events.at(-1)?.text ?? '', 5_000);
  return (
    <p className={cx(styles.announcer)} role="log" aria-live="polite">
      {text}
    </p>
  );
}

const EventLine = memo(function EventLine({ event }: { readonly event: EventView }) {
  const { seq, at, tone, kind, text, objects } = event;
  return (
    <li className={cx(styles.line)} data-testid={`event-${seq}`} data-kind={kind}>
      <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
      <EventIcon kind={kind} tone={tone} />
      <p>
        <LinkedText text={text} objects={objects} />
      </p>
    </li>
  );
});

/** Returns the newest value, but changes at most every `everyMs`. */
function useThrottledValue<T>(value: T, everyMs: number): T {
  const [shown, setShown] = useState(value);
  const shownAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, shownAt.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      shownAt.current = performance.now();
      setShown(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return shown;
}

const EVENT_GROUPS = ['all', 'launches', 'removals', 'capacity', 'actions', 'other'] as const;
type EventGroup = (typeof EVENT_GROUPS)[number];

const KINDS: Readonly<Record<Exclude<EventGroup, 'all' | 'other'>, ReadonlySet<string>>> = {
  launches: new Set(['launch', 'placed', 'ready', 'adopted', 'unplaced', 'launch-refused']),
  removals: new Set([
    ...['draining', 'remove', 'remove-empty', 'replace', 'terminated', 'evicted', 'pod-deleted'],
    ...['expired', 'drifted', 'replace-drifted', 'eviction-refused', 'eviction-failed'],
    ...['drain-stuck', 'consolidation-dropped', 'move-back-prevented', 'owner-restarted', 'replacement-requested'],
  ]),
  capacity: new Set([
    ...['interruption', 'rebalance', 'unavailable', 'block-ends'],
    ...['zonal-shift-active', 'zonal-shift-cleared', 'shifts-unknown'],
  ]),
  actions: new Set(['you']),
};

/** The group that the filter of the feed shows an event in. */
export function groupOfEvent({ kind }: Pick<EventView, 'kind'>): Exclude<EventGroup, 'all'> {
  if (KINDS.launches.has(kind)) return 'launches';
  if (KINDS.removals.has(kind)) return 'removals';
  if (KINDS.capacity.has(kind)) return 'capacity';
  return KINDS.actions.has(kind) ? 'actions' : 'other';
}
