import { findEventKind, formatEvent } from '../explanations/event-kinds.ts';
import type { ClusterEvent } from '../explanations/events.ts';
import { formatInstant } from '../time.ts';
import { DETAIL_VERSION, MAX_MESSAGE_LENGTH, type PublishedEvent } from './published-event.ts';

/** Translates what happened for systems outside of the cluster. */
export function toPublishedEvents(event: ClusterEvent, cluster: string): readonly PublishedEvent[] {
  const { at } = event;
  const facts = {
    version: DETAIL_VERSION,
    cluster,
    at: formatInstant(at),
    message: formatEvent(event).slice(0, MAX_MESSAGE_LENGTH),
  } as const;
  return (findEventKind(event).published?.(event, facts) ?? []).map((one) => ({ ...one, at }));
}
