import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { PublishedKind } from '../../model/published-events/kinds.ts';
import type { PublishedEvent } from '../../model/published-events/published-event.ts';
import { toPublishedEvents } from '../../model/published-events/to-published-events.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { DecisionLog } from '../../ports/decision-log.ts';
import type { EventPublisher } from '../../ports/event-publisher.ts';

/** An event about the same object for the same reason is not published again for this long. */
export const QUIET_MS = 15 * MINUTE_MS;
/** Above this the memory is cleared: a repeated event costs less than unbounded memory. */
const MAX_REMEMBERED = 50_000;

interface PublishedEventsOptions {
  readonly cluster: string;
  /** The kinds that are published; the others are left out. */
  readonly kinds: readonly PublishedKind[];
}

/**
 * A decision log that also publishes the events of some kinds. Apply once per process, within
 * `deduplicateEvents`: plans repeat what they report, and each event has a price.
 */
export function publishEvents(
  publisher: EventPublisher,
  { cluster, kinds }: PublishedEventsOptions,
  decisionLog: DecisionLog,
): DecisionLog {
  const isNew = createQuietPeriods();

  /** Plans write the same pods with other numbers in the text, so the pods count and not the text. */
  const leaveOutReported = (event: ClusterEvent): ClusterEvent =>
    event.kind === 'unplaced' ? { ...event, pods: event.pods.filter((pod) => isNew(`Pod ${pod}`, event.at)) } : event;

  return {
    ...decisionLog,
    async recordEvent(event) {
      const selected = toPublishedEvents(leaveOutReported(event), cluster).filter(
        (one) => kinds.includes(one.kind) && hasSubject(one) && isNew(keyOf(one), one.at),
      );
      if (selected.length > 0) publisher.publish(selected);
      await decisionLog.recordEvent(event);
    },
    async flush() {
      await Promise.all([decisionLog.flush?.(), publisher.flush()]);
    },
  };
}

/** @returns a function that is false for a key that it has seen within the quiet period */
function createQuietPeriods(): (key: string, now: EpochMs) => boolean {
  const quietUntil = new Map<string, EpochMs>();
  return (key, now) => {
    if (now < (quietUntil.get(key) ?? Number.NEGATIVE_INFINITY)) return false;
    if (quietUntil.size >= MAX_REMEMBERED) quietUntil.clear();
    quietUntil.set(key, now + QUIET_MS);
    return true;
  };
}

const hasSubject = ({ kind, detail }: PublishedEvent): boolean => kind !== 'PodsWaiting' || detail.podCount > 0;

function keyOf({ kind, detail }: PublishedEvent): string {
  switch (kind) {
    case 'NodeLaunched':
      return `${kind} ${detail.nodeClaim}`;
    case 'NodeDisrupted':
    case 'LaunchRefused':
      return `${kind} ${detail.nodeClaim} ${detail.reason}`;
    case 'PodsWaiting':
      return `${kind} ${detail.reason} ${detail.pods.join()}`;
    case 'CapReached':
      return `${kind} ${detail.cap}`;
    case 'RolloutStopped':
      return `${kind} ${detail.nodeClass} ${detail.nodeClaim}`;
  }
}
