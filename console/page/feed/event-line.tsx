import { memo } from 'react';
import { formatTime } from '../../format.ts';
import type { EventView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { LinkedText } from '../controls/linked-text.tsx';
import { EventIcon } from './event-icon.tsx';
import styles from './feed.module.css';

export const EventLine = memo(function EventLine({ event }: { readonly event: EventView }) {
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
