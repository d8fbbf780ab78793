import type { PublishedEvent } from '../model/published-events/published-event.ts';

/**
 * Sends events to systems outside of the cluster. A failure is logged and never thrown: no decision
 * waits for an event, and none fails because of one.
 */
export interface EventPublisher {
  /** Returns at once; the events are sent in the background. */
  publish(events: readonly PublishedEvent[]): void;
  /** Waits until all events have been sent or given up. */
  flush(): Promise<void>;
}
