import { EVENT_SOURCE } from '../../model/published-events/kinds.ts';
import type { PublishedEvent } from '../../model/published-events/published-event.ts';
import type { EventPublisher } from '../../ports/event-publisher.ts';
import type { Log } from '../log.ts';

/** @see docs.aws.amazon.com/eventbridge, PutEvents: at most ten entries in one request */
const MAX_ENTRIES = 10;

/** An entry of PutEvents. */
export interface EventEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly Time: Date;
  readonly EventBusName: string;
}

/** The result of one entry: an id, or an error. */
export interface EntryResult {
  readonly ErrorCode?: string | undefined;
  readonly ErrorMessage?: string | undefined;
}

/**
 * Sends at most ten entries.
 *
 * @returns their results in the same order
 */
export type SendEntries = (entries: readonly EventEntry[]) => Promise<readonly EntryResult[]>;

interface EventBridgeParts {
  /** Loads the client at the first event. */
  readonly connect: () => Promise<SendEntries>;
  readonly bus: string;
  readonly log: Log;
}

/**
 * Publishes events on a bus of EventBridge, one request at a time. Events that arrive during a request
 * go with the next one.
 *
 * Events that EventBridge does not accept are logged and given up. If a request fails, so are the
 * events that wait for it: a bus that cannot be reached must not cost time for each batch.
 */
export function eventBridgePublisher({ connect, bus, log }: EventBridgeParts): EventPublisher {
  const waiting: PublishedEvent[] = [];
  let sending: Promise<void> | undefined;
  let sender: Promise<SendEntries> | undefined;

  const reportLost = (events: readonly PublishedEvent[], error: string): void =>
    log({
      level: 'error',
      message: 'events not published',
      fields: { bus, count: events.length, kinds: listKinds(events), error },
    });

  async function sendBatch(batch: readonly PublishedEvent[]): Promise<void> {
    sender ??= connect();
    const results = await (await sender)(batch.map((event) => toEntry(event, bus)));
    const refused = batch.filter((_, index) => results[index]?.ErrorCode !== undefined);
    const [first] = results.filter(({ ErrorCode }) => ErrorCode !== undefined);
    if (first) reportLost(refused, `${first.ErrorCode}: ${first.ErrorMessage ?? ''}`);
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_ENTRIES);
      try {
        await sendBatch(batch);
      } catch (error) {
        sender = undefined;
        reportLost([...batch, ...waiting.splice(0)], String(error));
      }
    }
    sending = undefined;
  }

  return {
    publish(events) {
      if (events.length === 0) return;
      waiting.push(...events);
      sending ??= sendAll();
    },
    async flush() {
      await sending;
    },
  };
}

const toEntry = ({ kind, at, detail }: PublishedEvent, bus: string): EventEntry => ({
  Source: EVENT_SOURCE,
  DetailType: kind,
  Detail: JSON.stringify(detail),
  Time: new Date(at),
  EventBusName: bus,
});

const listKinds = (events: readonly PublishedEvent[]): readonly string[] => [
  ...new Set(events.map(({ kind }) => kind)),
];
